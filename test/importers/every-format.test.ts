/** What holds for every format: a row in `formats.ts` is enough. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ImportedEntry, ImportOptions } from '../../src/importers/entry.js';
import { ImportError } from '../../src/importers/import-error.js';
import { countsOf, formats } from './formats.js';
import { entriesOf, entriesOfFolder } from './read-corpus.js';
import { allure } from './sessions/session-stream-writers.js';
import { sessions, truthOf, withoutSameNames, type SessionSuite } from './sessions/sessions.js';

const session: readonly SessionSuite[] = withoutSameNames([
  {
    name: 'Cart',
    file: 'src/cart.test.js',
    hookFailed: true,
    tests: [
      { title: 'adds', failedBefore: 0, last: 'passed' },
      { title: 'zählt <Körbe>', failedBefore: 1, last: 'passed' },
      { title: 'pays', failedBefore: 1, last: 'failed' },
      { title: 'waits', failedBefore: 0, last: 'skipped' },
    ],
  },
  {
    name: 'Shop',
    file: 'src/shop.test.js',
    hookFailed: false,
    tests: [{ title: 'opens', failedBefore: 0, last: 'failed' }],
  },
]);

/** Values where a tool never writes them. */
const junk = ['null', '[]', '{}', '-1e999', '""', '"\\u0000\\ud800"', 'true', '[[{}]]'];

describe('importers: every format', function () {
  this.timeout(120_000);

  for (const { name, write, fit, hooks } of formats) {
    const fitted = (suites: readonly SessionSuite[]) => fit?.(suites) ?? suites;
    const whole = write(fitted(session));

    it(`has the counts, attempts and hooks of any session, or of none: ${name}`, () =>
      fc.assert(
        fc.asyncProperty(sessions, async (random) => {
          const report = write(fitted(random));
          expect(countsOf(await entriesOf(report)), report).to.deep.equal(truthOf(fitted(random), hooks));
        }),
        { numRuns: 50 },
      ));

    it(`is refused where it is cut off, or read as far as it is whole with --partial: ${name}`, async () => {
      const known = new Set(namesOf(await entriesOf(whole)));
      const places = Array.from({ length: 60 }, (_, n) => Math.floor((whole.length * (n + 1)) / 61));
      let refused = 0;
      for (const at of places) {
        const cut = whole.slice(0, at);
        if (await isRefused(cut)) refused += 1;
        const entries = await readOr(cut, { partial: true });
        for (const each of entries === null ? [] : namesOf(entries))
          expect(known.has(each) || /^(?:report|test run|Cart|Shop)/.test(each), each).to.equal(true);
      }
      // Between two of its parts, a report without an end may look whole.
      expect(refused).to.be.above(50);
    });

    it(`answers values of any type with results, or refuses them: ${name}`, async () => {
      const values = [...whole.matchAll(/(?<=":)(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false)|(?<==)"[^"]*"/g)];
      const step = Math.max(1, Math.floor(values.length / 60));
      for (let n = 0; n < values.length; n += step) {
        const { 0: text, index } = values[n]!;
        const isXml = whole.startsWith('<');
        const put = isXml ? `"${['', 'NaN', '-1', '&#x10FFFF;'][n % 4]}"` : junk[n % junk.length]!;
        await readOr(whole.slice(0, index) + put + whole.slice(index + text.length), {
          partial: n % 2 === 0,
        });
      }
    });
  }

  it('has the counts, attempts and hooks of any session: the results of Allure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testledger-sessions-'));
    await fc.assert(
      fc.asyncProperty(sessions, async (suites) => {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        const files = Object.entries(allure(suites));
        if (!files.some(([name]) => name.endsWith('-result.json'))) return;
        for (const [name, text] of files) await writeFile(join(folder, name), text);
        expect(countsOf(await entriesOfFolder(folder))).to.deep.equal(truthOf(suites, 'each'));
      }),
      { numRuns: 30 },
    );
    await rm(folder, { recursive: true });
  });
});

async function readOr(report: string, options: ImportOptions): Promise<ImportedEntry[] | null> {
  try {
    const entries = await entriesOf(report, options);
    expect(entries.at(-1)?.type).to.equal('summary');
    return entries;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return null;
  }
}

async function isRefused(report: string): Promise<boolean> {
  return (await readOr(report, {})) === null;
}

function namesOf(entries: readonly ImportedEntry[]): string[] {
  return entries.flatMap((entry) => (entry.type === 'result' ? entry.item.name : []));
}
