/**
 * `--pinned`: what is measured, and its reference, run on the first half of the processors, the load on the second half.
 * Then the load takes no time from the server, and the system moves neither of them.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** `measured`: the server, a reference, or code that is measured by itself. */
export type Place = 'measured' | 'load';

/** The processors of each place, as `taskset` takes them; null where nothing is pinned. */
let processors: Readonly<Record<Place, string>> | null = null;

/**
 * Pins all processes that the bench starts from now on, and the bench itself beside the load.
 * @throws Error where the machine has one processor, or no `taskset`, or does not let it.
 */
export function pinProcesses(): void {
  // Before the bench is pinned: then, this would be the number of its own.
  const all = availableParallelism();
  if (all < 2) throw new Error('--pinned needs two processors or more');
  const half = Math.floor(all / 2);
  const places = { measured: `0-${half - 1}`, load: `${half}-${all - 1}` };
  const { status, error, stderr } = spawnSync('taskset', ['-a', '-cp', places.load, String(process.pid)]);
  if (status !== 0) {
    throw new Error(`--pinned needs taskset, of util-linux: ${error?.message ?? stderr.toString()}`);
  }
  processors = places;
}

/** The command that starts Node at a place, with the arguments that come before those of Node. */
export function nodeAt(place: Place): { command: string; before: string[] } {
  if (processors === null) return { command: process.execPath, before: [] };
  return { command: 'taskset', before: ['-c', processors[place], process.execPath] };
}
