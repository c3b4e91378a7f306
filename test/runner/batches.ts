/** Which files run in one mocha process, one after another. */
import { dirname } from 'node:path';

/** A mocha process needs some seconds to load the program and start its server, so files that start no process share one. */
const TESTS_A_BATCH = 550;

/**
 * Answers every file of `counted` exactly once. The batches of files that start processes come first: they are the
 * longest, and the short batches after them fill the lanes that are free.
 */
export function batches(counted: ReadonlyMap<string, number>): string[][] {
  const named = new Map<string, string[]>();
  const others: string[] = [];
  for (const file of counted.keys()) {
    const name = batchOf(file);
    if (name === null) others.push(file);
    else named.set(name, [...(named.get(name) ?? []), file]);
  }
  const tests = others.reduce((sum, file) => sum + counted.get(file)!, 0);
  const shared: string[][] = Array.from({ length: Math.ceil(tests / TESTS_A_BATCH) }, () => []);
  // Dealt out, since the slow files of a folder lie side by side.
  for (const [n, file] of others.entries()) shared[n % shared.length]!.push(file);
  return [...named.values(), ...shared];
}

/** The name of the batch that a file has to be in, null for any. */
function batchOf(file: string): string | null {
  if (/\.(process|tools)\.js$|\/test\/(docs\/readme|process\/|stack\/)/.test(file)) return file;
  // They may put faults into a server that they share: a fail point of MongoDB is one for all clients.
  return file.endsWith('.stack.js') ? dirname(file) : null;
}
