/** What is to be done every so often, done when a test says so and never else. */

export type Intervals = {
  /** How many go on. */
  readonly size: number;
  /** It is time for all of them. */
  strike(): void;
};

/** Takes the place of `setInterval` for each test of the block. */
export function heldIntervals(): Intervals {
  const due = new Set<() => void>();
  const { setInterval, clearInterval } = globalThis;
  beforeEach(() => {
    const hold = (work: () => void) => {
      due.add(work);
      return { work, unref: () => ({ work }) };
    };
    const release = ({ work }: { work: () => void }) => due.delete(work);
    Object.assign(globalThis, { setInterval: hold, clearInterval: release });
  });
  afterEach(() => {
    due.clear();
    Object.assign(globalThis, { setInterval, clearInterval });
  });
  return {
    get size() {
      return due.size;
    },
    strike: () => due.forEach((work) => work()),
  };
}
