import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { packageFolder } from '../../src/folders.js';

const dashboard = new URL('src/dashboard/', packageFolder);

describe('the stylesheet of the dashboard', () => {
  it('has no class that neither a page nor a script uses', () => {
    const used = usedClasses(
      readdirSync(dashboard, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => readFileSync(new URL(name, dashboard), 'utf8')),
    );
    const uPlot = new Set(classesOf('uPlot.css'));
    const isUsed = (name: string) => used.words.has(name) || used.starts.has(name.replace(/[^-]*$/, ''));
    const dead = classesOf('style.css').filter((name) => !uPlot.has(name) && !isUsed(name));
    expect(dead).to.deep.equal([]);
  });
});

/** Of a file that the build has made. */
function classesOf(name: string): string[] {
  const css = readFileSync(new URL(`dist/dashboard/${name}`, packageFolder), 'utf8');
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
