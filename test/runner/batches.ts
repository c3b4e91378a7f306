/** Which files run in one mocha process. */

/** A mocha process needs a second to load the program, so files that start no process share one. */
const TESTS_A_BATCH = 250;

/**
 * Each file whose tests start processes is a batch of its own. These come first: they are the longest, and the short
 * batches after them fill the lanes that are free. Answers every file of `counted` exactly once.
 */
export function batches(counted: ReadonlyMap<string, number>): string[][] {
  const files = [...counted.keys()];
  const alone = files.filter(startsProcesses);
  const others = files.filter((file) => !startsProcesses(file));
  const tests = others.reduce((sum, file) => sum + counted.get(file)!, 0);
  const shared: string[][] = Array.from({ length: Math.ceil(tests / TESTS_A_BATCH) }, () => []);
  // Dealt out, since the slow files of a folder lie side by side.
  for (const [n, file] of others.entries()) shared[n % shared.length]!.push(file);
  return [...alone.map((file) => [file]), ...shared];
}

function startsProcesses(file: string): boolean {
  return /\/test\/(process|runner|stack)\//.test(file);
}
