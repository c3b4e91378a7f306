import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MIB = 1_024 * 1_024;

/**
 * Returns what is held more than now. Resident memory also has the garbage of the other files of this process, and says
 * nothing of what is held.
 */
export function heldMiBSince(): () => number {
  const before = heldBytes();
  return () => (heldBytes() - before) / MIB;
}

function heldBytes(): number {
  // The bytes of buffers are counted until the collection after the one that found them unused.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
