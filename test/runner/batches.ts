/** Which files run in one mocha process, one after another. */
import { dirname } from 'node:path';

/**
 * Batches of those that take longest: one of 216 s on two quiet cores, six of 34 to 52 s, and those that read one filled demo.
 * Where they started late, the other lanes would wait for them at the end.
 */
export const LONGEST: readonly RegExp[] = [
  /\/truth\/truth\.load\.js$/,
  /\/(docs\/commands|files\/disk)\.process\.js$/,
  /\/(sessions\.load|api-commands\.process)\.js$/,
  /\/(importers\/cases|import\/again)\.process\.js$/,
  /\/(one-truth|demo\/fill|programs\/questions)\.load\.js$/,
];
/** A mocha process needs some seconds to load the program and start its server, so files that start no process share one. */
const FILES_A_BATCH = 55;
/** Some of them take minutes, and all of a batch must end within the limit of a process. */
const LOADS_A_BATCH = 2;
/** Those that start programs, on a server that they share. */
const PROCESSES_A_BATCH = 4;
/** Each has a server and a browser of its own. One of all pages takes two minutes, so that the others need the same time beside it. */
const PAGES_A_BATCH = 5;

/**
 * Answers every file exactly once. The longest batches come first, and the short ones after them fill the lanes that are
 * free: those named above, then those that put a server under load, then files that start processes, then the others.
 */
export function batches(files: readonly string[]): string[][] {
  const named = new Map<string, string[]>();
  const loads: string[] = [];
  const processes: string[] = [];
  const pages: string[] = [];
  const others: string[] = [];
  const longest = LONGEST.map((pattern) => files.filter((file) => pattern.test(file)));
  for (const file of files) {
    if (longest.some((batch) => batch.includes(file))) continue;
    const name = batchOf(file);
    if (name !== null) named.set(name, [...(named.get(name) ?? []), file]);
    else if (file.endsWith('.load.js')) loads.push(file);
    else if (file.endsWith('.browser.js')) pages.push(file);
    else (file.endsWith('.process.js') ? processes : others).push(file);
  }
  return [
    ...longest.filter((batch) => batch.length > 0),
    ...dealt(loads, LOADS_A_BATCH),
    ...named.values(),
    ...dealt(processes, PROCESSES_A_BATCH),
    ...dealt(pages, PAGES_A_BATCH),
    ...dealt(others, FILES_A_BATCH),
  ];
}

/** The slow files of a folder lie side by side. */
function dealt(files: readonly string[], most: number): string[][] {
  const shared: string[][] = Array.from({ length: Math.ceil(files.length / most) }, () => []);
  for (const [n, file] of files.entries()) shared[n % shared.length]!.push(file);
  return shared;
}

/** The name of the batch that a file has to be in, null for any. Those of memory and of slow-downs measure their process. */
function batchOf(file: string): string | null {
  if (
    /\.tools\.js$|\/test\/(docs\/readme|memory\/.*\.process|process\/slow-downs|process\/start|stack\/)/.test(
      file,
    )
  )
    return file;
  // They may put faults into a server that they share: a fail point of MongoDB is one for all clients.
  return file.endsWith('.stack.js') ? dirname(file) : null;
}
