import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { corpus, outcomeOf, verdictsOf } from '../read-corpus.js';

/** A file, what it shows, and the lines of its outcome. */
export type Expected = readonly [file: string, states: string, ...lines: string[]];

/** A test for each file of a folder of the corpus, and one that no file is without a test. In any order: `verdicts`. */
export function outcomes(
  title: string,
  folder: string,
  table: readonly Expected[],
  verdicts: readonly Expected[] = [],
): void {
  describe(`importers: ${title}`, () => {
    for (const [file, states, ...lines] of table) {
      it(`${states} (${file})`, async () => {
        expect(await outcomeOf(file, { attachmentsInOutput: true })).to.deep.equal(lines);
      });
    }

    for (const [file, states, ...lines] of verdicts) {
      it(`${states} (${file})`, async () => {
        expect((await verdictsOf(file)).sort()).to.deep.equal(lines.sort());
      });
    }

    it('has an expectation for each file', async () => {
      const files = await readdir(new URL(`${folder}/`, corpus));
      expect([...table, ...verdicts].map(([file]) => file).sort()).to.deep.equal(
        files.map((file) => `${folder}/${file}`).sort(),
      );
    });
  });
}
