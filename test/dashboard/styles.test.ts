import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { packageFolder } from '../../src/folders.js';

const dashboard = new URL('src/dashboard/', packageFolder);

describe('the stylesheet of the dashboard', () => {
  it('has no class that neither a page nor a script uses', () => {
    const used = usedClasses(
      readdirSync(dashboard, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => readFileSync(new URL(name, dashboard), 'utf8')),
    );
    const chart = createRequire(packageFolder).resolve('uplot/dist/uPlot.min.css');
    const uPlot = new Set(classesIn(readFileSync(chart, 'utf8')));
    const isUsed = (name: string) => used.words.has(name) || used.starts.has(name.replace(/[^-]*$/, ''));
    const styles = readFileSync(new URL('dist/dashboard/style.css', packageFolder), 'utf8');
    const dead = classesIn(styles).filter((name) => !uPlot.has(name) && !isUsed(name));
    expect(dead).to.deep.equal([]);
  });
});

function classesIn(css: string): string[] {
  const selectors = css.replaceAll(/\/\*[^]*?\*\/|\{[^{}]*\}/g, ' ');
  return [...new Set(selectors.match(/(?<=\.)[a-zA-Z][\w-]*/g))];
}

/** The words of texts that may be lists of classes, and the starts of those that are composed, such as `diff-`. */
function usedClasses(sources: readonly string[]): { words: Set<string>; starts: Set<string> } {
  const texts = sources.flatMap((source) => source.match(/'[\w -]*'|"[\w -]*"|`[^`]*`/g) ?? []);
  return {
    words: new Set(texts.flatMap((text) => text.match(/[\w-]+/g) ?? [])),
    starts: new Set(texts.flatMap((text) => text.match(/[\w-]+-(?=\$\{)/g) ?? [])),
  };
}
