/** Texts of reports where there is room for a few words only. */
import { cut } from '../../domain/text/cut.js';

export { cut } from '../../domain/text/cut.js';

/** `9f2c1e7` of a hash; another name of a version is cut. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{8,}$/i.test(commit) ? commit.slice(0, 7) : cut(commit, 40);
}

/** Where a test stands, as `src/cart.ts:12`; null where it is not known. */
export function placeOf({ file, line }: { file: string | null; line: number | null }): string | null {
  if (file === null) return null;
  return line === null ? file : `${file}:${line}`;
}

/** For a link or a heading: a name of spaces alone, which a report may have, would be invisible. */
export function visible(name: string): string {
  return /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u.test(name) ? name : '(blank)';
}

/** A place in which a test fails too: its branch, and its environment if there is one. */
export function failingPlace({
  branch,
  environment_key,
}: {
  branch: string;
  environment_key: string;
}): string {
  return environment_key === '' ? branch : `${branch} (${environment_key})`;
}
