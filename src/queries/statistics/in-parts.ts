/** A long list a part at a time, with a pause between the parts. */
import { setImmediate } from 'node:timers/promises';

const PART = 500;

/** Views in files are read on this thread. Without a pause, a long list would block all other work on it. */
export async function* inParts<T>(all: readonly T[], part = PART): AsyncGenerator<readonly T[], void> {
  for (let from = 0; from < all.length; from += part) {
    if (from > 0) await setImmediate();
    yield all.slice(from, from + part);
  }
}
