/**
 * Whether a test ran at all. `--dryrun` calls each test passed and runs no keyword of a library in it; the report says
 * nothing else of it.
 */
import type { Attributes } from '../xml/reader.js';

/** What is known of the keywords inside of a test or a keyword. */
export type Ran = { hasInside: boolean; isLeft: boolean; unrun: number };
export type DryRun = {
  /** `around`: of the keyword around it; null for one of the test itself. */
  closed(
    keyword: { tag: string; attributes: Attributes; status: Attributes } & Ran,
    around: Ran | null,
  ): void;
  isDry(): boolean;
};

/** These run in a dry run too. */
const ALWAYS = new Set([
  'Import Library',
  'Import Resource',
  'Set Library Search Order',
  'Set Tags',
  'Remove Tags',
]);
/** Nothing runs behind these, in any run. */
const LEAVING = new Set(['return', 'break', 'continue']);

export function inside(): Ran {
  return { hasInside: false, isLeft: false, unrun: 0 };
}

export function dryRun(): DryRun {
  const test = inside();
  let ran = 0;
  return {
    closed({ tag, attributes, status, hasInside, unrun }, keywordAround) {
      const around = keywordAround ?? test;
      around.hasInside = true;
      if (LEAVING.has(tag)) around.isLeft = true;
      const isUnrun = /^NOT[_ ]RUN$/.test(status.status ?? '');
      // In a branch that was not taken, nothing runs in any run.
      if (hasInside) around.unrun += isUnrun ? 0 : unrun;
      else if (tag !== 'kw') return;
      else if (!isUnrun) ran += ALWAYS.has(attributes.name ?? '') ? 0 : 1;
      else if (!around.isLeft) around.unrun += 1;
    },
    isDry: () => ran === 0 && test.unrun > 0,
  };
}
