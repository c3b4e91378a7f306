import { hash } from 'node:crypto';
import { digestTable } from '../digest-table.js';

export type Assemblies = {
  /** The tests that follow are of this assembly. Without a path, they are of one that has no name. */
  opened: (path: string, framework?: string) => void;
  /** What tells the tests of a class from those of the same class in an earlier assembly. Empty in the usual case. */
  markOf: (className: string) => string;
};

/**
 * The assemblies of one report. Two of them can have the same class: one project that is built for two frameworks, or a
 * source file that two projects share. The first one keeps the plain names, because a test keeps its history by its
 * name, and most reports have each class once. An assembly that comes again is the same one.
 *
 * Memory: some 30 bytes for each class.
 */
export function assemblies(): Assemblies {
  const indexes = digestTable();
  const labels = digestTable();
  const sameLabel = digestTable();
  const homes = digestTable();
  let count = 0;
  let current = { index: 1, mark: '' };
  let last = { className: '', mark: '' };

  function opened(path: string, framework = ''): void {
    const key = keyOf(`${path}\0${framework}`);
    const label = [fileOf(path), framework].filter((part) => part !== '').join(' ');
    if (indexes.get(key) === 0) {
      count = Math.min(count + 1, MOST);
      indexes.set(key, count);
      const number = Math.min(labels.get(keyOf(label)) + 1, MOST);
      labels.set(keyOf(label), number);
      sameLabel.set(key, number);
    }
    const number = sameLabel.get(key);
    current = { index: indexes.get(key), mark: number === 1 ? label : `${label} #${number}` };
    last = { className: '', mark: '' };
  }

  function markOf(className: string): string {
    // The tests of a class follow each other, so most of them need no digest.
    if (className === last.className) return last.mark;
    const key = keyOf(className);
    const home = homes.get(key);
    if (home === 0) homes.set(key, current.index);
    last = { className, mark: home === 0 || home === current.index ? '' : current.mark };
    return last.mark;
  }

  return { opened, markOf };
}

/** The largest number of a digest table. */
const MOST = 32_767;

function keyOf(text: string): string {
  return hash('sha1', text, 'binary');
}

/** The name alone: the folder of a build is another one on each machine. */
function fileOf(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:dll|exe)$/i, '');
}
