/** To which attempt a picture belongs. Its path says it: the titles of the test, and the number of the attempt. */
import type { Picture, TestResult } from './types.js';

/** `sums -- adds -- before each hook (failed) (attempt 2).png` */
const NAME = /^(?<titles>.*?)(?<failed> \(failed\))?(?: \(attempt (?<attempt>\d+)\))?(?: \(\d+\))?\.png$/s;

/**
 * Returns the paths of each attempt of each test. A picture with a name of its own, by `cy.screenshot('cart')`, says no
 * test, and is left out here.
 */
export function picturesOf(tests: readonly TestResult[], pictures: readonly Picture[]): string[][][] {
  const taken = tests.map(({ attempts }) => attempts.map((): string[] => []));
  const titles = tests.map(({ title }) => plain(title.join('')));
  for (const { name, path } of pictures) {
    const parts = NAME.exec(path.split(/[/\\]/).at(-1)!)?.groups;
    if (name != null || parts === undefined) continue;
    const attempt = Number(parts['attempt'] ?? 1) - 1;
    const isFailure = parts['failed'] !== undefined;
    const fits = (n: number) => {
      const state = tests[n]!.attempts[attempt]?.state;
      // Cypress takes one picture of each failure, so that tests of one name have theirs in turn.
      return isFailure ? state === 'failed' && taken[n]![attempt]!.length === 0 : state !== undefined;
    };
    const found = closest(titles, plain(parts['titles'] ?? ''), fits);
    if (found !== null) taken[found]![attempt]!.push(path);
  }
  return taken;
}

/** The test with the longest title that begins the name: the name of a hook may follow it, and a long name is cut. */
function closest(titles: readonly string[], name: string, fits: (n: number) => boolean): number | null {
  let best: number | null = null;
  for (const [n, title] of titles.entries()) {
    const begins =
      title === '' ? name === '' : name.startsWith(title) || (name.length > CUT && title.startsWith(name));
    if (begins && fits(n) && (best === null || title.length > titles[best]!.length)) best = n;
  }
  return best;
}

/** Names of files have up to 255 bytes, of which Cypress keeps some. */
const CUT = 50;

/** Without what a name of a file cannot have, or Cypress puts between the titles. */
function plain(text: string): string {
  return text.toWellFormed().replace(/[^\p{L}\p{N}]+/gu, '');
}
