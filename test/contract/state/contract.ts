/** The promises of every store of state: one suite for all adapters. */
import type { State } from '../../../src/ports/state.js';
import { stateEntriesContract } from './entries.js';
import { stateExpiryContract } from './expiry.js';
import { stateModelContract } from './model.js';
import { stateRacesContract } from './races.js';
import { instant, type StateUnderTest } from './subject.js';

/** An empty store. The suite closes what it opens. */
export type StateStore = {
  /** Opens the store once more. `now` is the clock by which entries expire. */
  open(now: () => string): State | Promise<State>;
  /** Removes everything, after all openings are closed. */
  remove(): Promise<void>;
};

/** Declares the suite. `emptyStore` is called before each test. */
export function stateContract(name: string, emptyStore: () => Promise<StateStore>): void {
  describe(`the state: ${name}`, function () {
    let store: StateStore;
    let now: string;
    let opened: State[];
    const open = async () => {
      opened = [await store.open(() => now), await store.open(() => now)];
    };
    const close = () => Promise.all(opened.map((state) => state.close()));
    beforeEach(async () => {
      now = instant(0);
      store = await emptyStore();
      await open();
    });
    afterEach(async () => {
      await close();
      await store.remove();
    });

    const subject: StateUnderTest = {
      get state() {
        return opened[0] as State;
      },
      get other() {
        return opened[1] as State;
      },
      setNow: (to) => {
        now = to;
      },
      reopen: async () => {
        await close();
        await open();
      },
    };
    stateEntriesContract(subject);
    stateExpiryContract(subject);
    stateRacesContract(subject);
    stateModelContract(subject);
  });
}
