/** The promises of every store of deliveries: one suite for all adapters. */
import type { Deliveries } from '../../../src/ports/deliveries.js';
import { deliveriesChangesContract } from './changes.js';
import { deliveriesDueContract } from './due.js';
import { deliveriesHistoryContract } from './history.js';
import { deliveriesModelContract } from './model.js';
import type { DeliveriesUnderTest } from './subject.js';

/** An empty store. The suite closes what it opens. */
export type DeliveriesStore = {
  /** Opens the store once more. */
  open(): Deliveries | Promise<Deliveries>;
  /** Removes everything, after all openings are closed. */
  remove(): Promise<void>;
};

/** Declares the suite. `emptyStore` is called before each test. */
export function deliveriesContract(name: string, emptyStore: () => Promise<DeliveriesStore>): void {
  describe(`deliveries: ${name}`, function () {
    let store: DeliveriesStore;
    let opened: Deliveries[];
    const open = async () => {
      opened = [await store.open(), await store.open()];
    };
    const close = () => Promise.all(opened.map((deliveries) => deliveries.close()));
    beforeEach(async () => {
      store = await emptyStore();
      await open();
    });
    afterEach(async () => {
      await close();
      await store.remove();
    });

    const subject: DeliveriesUnderTest = {
      get deliveries() {
        return opened[0] as Deliveries;
      },
      get other() {
        return opened[1] as Deliveries;
      },
      reopen: async () => {
        await close();
        await open();
      },
    };
    deliveriesDueContract(subject);
    deliveriesChangesContract(subject);
    deliveriesHistoryContract(subject);
    deliveriesModelContract(subject);
  });
}
