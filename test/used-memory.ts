/** How much memory a test's process uses, whenever its garbage was collected last. */
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';

/** The memory in use after garbage collection, in bytes. */
export async function used(): Promise<{ held: number; resident: number }> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Memory that a finaliser releases is free after the second collection.
  for (let n = 0; n < 2; n += 1) {
    collect();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: heapUsed + external, resident: rss };
}
