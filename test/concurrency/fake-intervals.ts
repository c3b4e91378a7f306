/** Intervals that fire when a test says so, and never by the clock. */

export type FakeIntervals = {
  /** How many intervals are set. */
  readonly size: number;
  /** Fires all intervals once. */
  fire(): void;
};

/** Replaces `setInterval` and `clearInterval` in each test of the block. */
export function fakeIntervals(): FakeIntervals {
  const set = new Set<() => void>();
  const { setInterval, clearInterval } = globalThis;
  beforeEach(() => {
    const add = (work: () => void) => {
      set.add(work);
      return { work, unref: () => ({ work }) };
    };
    const remove = ({ work }: { work: () => void }) => set.delete(work);
    Object.assign(globalThis, { setInterval: add, clearInterval: remove });
  });
  afterEach(() => {
    set.clear();
    Object.assign(globalThis, { setInterval, clearInterval });
  });
  return {
    get size() {
      return set.size;
    },
    fire: () => set.forEach((work) => work()),
  };
}
