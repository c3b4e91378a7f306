/** Names as the reporters of `src/reporters` give them, so that a test keeps its history when they replace the import. */
import { NAME_SEPARATOR, testName } from '../../test-name.js';
import { withoutCheckout } from '../source-paths.js';
import type { Suite } from './case.js';
import type { MochaTitles } from './mocha-titles.js';
import { isPlaywright, MOCHA } from './tools.js';

export type ReporterName = { name: string; file: string; tool?: string; project?: string };

/** Null where the tool is not known, or its file does not have the parts of the name. */
export function reporterName(
  suite: Suite,
  { className, name }: { className: string; name: string },
  mocha: MochaTitles,
  checkout: string | undefined,
): ReporterName | null {
  if (isPlaywright(suite, className)) {
    const parts = [withoutCheckout(suite.name, checkout), ...name.split(NAME_SEPARATOR)];
    const project = suite.hostname;
    return { name: testName(parts, project), file: className, tool: 'playwright', project };
  }
  switch (suite.tool) {
    case 'vitest': {
      // The suite is the file, and a class says only what is in the suite. The report does not name the project.
      const file = withoutCheckout(suite.name, checkout).replaceAll('\\', '/');
      return { name: testName([file, ...vitestTitles(file, name)]), file };
    }
    case 'mocha': {
      // The suites around a test are one text there.
      if (suite.name === MOCHA) return { name: testName([className, name]), file: '' };
      const titles = mocha.of(className, name);
      return titles === null ? null : { name: testName(titles), file: '' };
    }
    default:
      return null;
  }
}

/** A file that cannot be loaded is a case of its own name. */
function vitestTitles(file: string, name: string): string[] {
  return name.replaceAll('\\', '/') === file ? [] : name.split(' > ');
}
