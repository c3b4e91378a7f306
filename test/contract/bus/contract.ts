/** The promises of every bus: one suite for all adapters. */
import type { Bus } from '../../../src/ports/bus.js';
import { busCarryingContract } from './carrying.js';
import { busModelContract } from './model.js';
import { busSettlingContract } from './settling.js';
import type { BusUnderTest } from './subject.js';

/** An empty bus. The suite closes what it opens. */
export type BusStore = {
  /** Opens the bus once more. */
  open(): Promise<Bus>;
  /** Removes everything, after all openings are closed. */
  remove(): Promise<void>;
};

/** Declares the suite. `emptyBus` is called before each test. */
export function busContract(name: string, emptyBus: () => Promise<BusStore>): void {
  describe(`the bus: ${name}`, function () {
    let store: BusStore;
    let opened: Bus[];
    const open = async () => {
      opened = [await store.open(), await store.open()];
    };
    const close = () => Promise.all(opened.map((bus) => bus.close()));
    beforeEach(async () => {
      store = await emptyBus();
      await open();
    });
    afterEach(async () => {
      await close();
      await store.remove();
    });

    const subject: BusUnderTest = {
      get bus() {
        return opened[0] as Bus;
      },
      get other() {
        return opened[1] as Bus;
      },
      reopen: async () => {
        await close();
        await open();
      },
    };
    busCarryingContract(subject);
    busSettlingContract(subject);
    busModelContract(subject);
  });
}
