import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from './kit/any-text.js';
import { writtenItem } from '../src/client/live/item.js';
import { noMasker } from '../src/client/masking/masker.js';
import { reportedName, suitePath } from '../src/importers/values/naming.js';
import { limits } from '../src/limits.js';
import { cutTestName, oneLine, testName } from '../src/test-name.js';
import { entriesOf } from './importers/read-corpus.js';

type Named = { titles: readonly string[]; project: string };
const FILE = 'a.spec.ts';

/** As a reporter posts it. */
function posted({ titles, project }: Named): string {
  const json = writtenItem({ name: testName([FILE, ...titles], project), status: 'passed' }, noMasker);
  return (JSON.parse(json) as { name: string }).name;
}

/** As a report of the same test is imported. */
async function imported({ titles, project }: Named): Promise<string> {
  const spec = {
    title: titles.at(-1),
    tests: [{ projectName: project, results: [{ status: 'passed' }] }],
  };
  let suite: object = { title: titles.at(-2), specs: [spec] };
  for (const title of titles.slice(0, -2).toReversed()) suite = { title, suites: [suite] };
  const report = { config: {}, suites: [{ title: FILE, suites: [suite] }] };
  const [entry] = await entriesOf(JSON.stringify(report));
  if (entry?.type !== 'result') throw new Error('The report has no result.');
  return entry.item.name;
}

const table: { states: string; titles: string[]; project?: string; name: string }[] = [
  { states: 'plain titles', titles: ['cart', 'is empty'], name: 'a.spec.ts › cart › is empty' },
  { states: 'a project', titles: ['s', 't'], project: ' web\nkit ', name: 'a.spec.ts › s › t [web kit]' },
  { states: 'empty titles', titles: ['', ' \n', ''], name: 'a.spec.ts' },
  { states: 'titles that repeat', titles: ['s', 's', 's'], name: 'a.spec.ts › s › s › s' },
  { states: 'colours', titles: ['\u001b[31mred\u001b[39m', '\u009b1mbold'], name: 'a.spec.ts › red › bold' },
  { states: 'a link', titles: ['s', '\u001b]8;;http://a.b\u0007t'], name: 'a.spec.ts › s › t' },
  { states: 'control characters', titles: ['a\0b', 'c\u007f\u0085d\u0007'], name: 'a.spec.ts › a b › c d' },
  { states: 'line breaks', titles: ['a\r\n  b', '\tc\u2028d\u00a0\ufeff'], name: 'a.spec.ts › a b › c d' },
  { states: 'halves of characters', titles: ['\ud83da', 'b\udda6'], name: 'a.spec.ts › �a › b�' },
  { states: 'characters of two units', titles: ['🦦', '日本語'], name: 'a.spec.ts › 🦦 › 日本語' },
  {
    states: 'a character of two units at the cut',
    titles: ['s', '🦦'.repeat(300)],
    name: `a.spec.ts › s › ${'🦦'.repeat(224)}…55fea207da32`,
  },
];

describe('names of tests', () => {
  for (const { states, titles, project = '', name } of table) {
    it(`are the same from a reporter and an importer: ${states}`, async () => {
      expect(posted({ titles, project })).to.equal(name);
      expect(await imported({ titles, project })).to.equal(name);
    });
  }

  const piece = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 8 }),
    fc.constantFrom(
      '\u001b[1;31m',
      '\u001b',
      '\u009b',
      '[0m',
      '\ud83e',
      '\udda6',
      '🦦',
      '\0',
      '\n',
      ' ',
      ' › ',
    ),
    fc.constantFrom('a', '🦦').map((text) => text.repeat(130)),
  );
  const title = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
  const named = fc.record({ titles: fc.array(title, { minLength: 2, maxLength: 4 }), project: title });

  it('are the same from a reporter and an importer, whatever the titles are', async () => {
    await fc.assert(
      fc.asyncProperty(named, async (given) => {
        expect(await imported(given)).to.equal(posted(given));
      }),
      { numRuns: 500 },
    );
  });

  it('are the same from the suites of a report, where none repeats another and none is a path', () => {
    fc.assert(
      fc.property(named, ({ titles, project }) => {
        const parts = titles.map((text, n) => `${n}${text}`);
        const name = parts.at(-1) ?? '';
        const suites = suitePath(parts.slice(0, -1));
        expect(reportedName({ suites, className: '', name, project })).to.equal(testName(parts, project));
      }),
    );
  });

  it('are one line that the API takes', () => {
    fc.assert(
      fc.property(named, (given) => {
        const name = posted(given);
        const { length } = Array.from(name);
        expect(length).to.be.within(limits.nameLeast, limits.nameLength);
        expect(name.isWellFormed()).to.equal(true);
        expect(name).to.match(/^\P{Cc}+$/u);
        expect(oneLine(name)).to.equal(name);
      }),
    );
  });

  it('stay different where long ones differ after the cut', () => {
    const long = '🙂'.repeat(300);
    expect(Array.from(cutTestName(long))).to.have.length(253);
    expect(cutTestName(long)).to.match(/^(?:🙂){240}…[0-9a-f]{12}$/u);
    expect(cutTestName(`${long}a`)).not.to.equal(cutTestName(`${long}b`));
    expect(cutTestName('🙂'.repeat(255))).to.equal('🙂'.repeat(255));
  });

  it('have at least two characters', () => {
    expect(cutTestName('')).to.equal('(no name)');
    expect(testName(['', ' '])).to.equal('(no name)');
    expect(testName([], 'firefox')).to.equal('(no name) [firefox]');
    expect(cutTestName('x')).to.equal('(x)');
    expect(cutTestName('🙂')).to.equal('(🙂)');
    expect(cutTestName('ab')).to.equal('ab');
  });
});
