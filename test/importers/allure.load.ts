import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findReports, reportsIn } from '../../src/importers/import-files.js';
import { heldMiBSince } from './held-memory.js';

const RESULTS = 60_000;

describe('importers: a large folder of Allure', function () {
  this.timeout(300_000);
  let folder = '';
  before(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'testledger-allure-')), 'allure-results');
    await mkdir(folder);
    for (let n = 0; n < RESULTS; n += 1_000)
      await Promise.all(
        Array.from({ length: 1_000 }, (_, at) => {
          const result = resultOf(n + at);
          return writeFile(join(folder, `${result.uuid}-result.json`), JSON.stringify(result));
        }),
      );
  });
  after(() => rm(join(folder, '..'), { recursive: true }));

  it('is read with at most 300 bytes for each result, and joins attempts whose files are far apart', async () => {
    const held = heldMiBSince();
    let results = 0;
    let most = 0;
    const attempts = new Map<string, string[]>();
    for (const report of reportsIn((await findReports([folder])).files))
      for await (const entries of report.entries({}))
        for (const entry of entries) {
          if (entry.type !== 'result') continue;
          const { name, status, attempt } = entry.item;
          if (attempt !== undefined)
            attempts.set(name, [...(attempts.get(name) ?? []), `${status} ${attempt}`]);
          if (results % 20_000 === 0) most = Math.max(most, held());
          results += 1;
        }
    expect(results).to.equal(RESULTS);
    expect(attempts.size).to.equal(RESULTS / 100);
    expect(new Set([...attempts.values()].map(String))).to.deep.equal(new Set(['failed 1,passed 2']));
    expect(most).to.be.below((RESULTS * 300) / 2 ** 20);
  });
});

/** The last hundredth of the results are second attempts of the tests before them. */
function resultOf(n: number) {
  const isSecond = n >= RESULTS - RESULTS / 100;
  const test = isSecond ? n - RESULTS / 100 : n;
  const isFirst = !isSecond && n >= RESULTS - (2 * RESULTS) / 100;
  // Names of files in no order: the multiplier has no divisor in common with the number.
  const uuid = `${((n * 7_919) % 1_000_003).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return {
    uuid,
    historyId: `${test.toString(16).padStart(32, '0')}:${'d'.repeat(32)}`,
    name: `test ${test}`,
    fullName: `test/file-${test % 500}.test.ts: Orders > test ${test}`,
    status: isFirst ? 'failed' : 'passed',
    stage: 'finished',
    ...(isFirst && { statusDetails: { message: 'it is wrong', trace: 'at a line\n'.repeat(20) } }),
    labels: [
      { name: 'framework', value: 'mocha' },
      { name: 'suite', value: `Orders ${test % 500}` },
    ],
    parameters: isSecond ? [{ name: 'Retry', value: '1', excluded: true }] : [],
    steps: [{ name: 'a step', status: 'passed', start: 1.7e12 + n, stop: 1.7e12 + n + 1 }],
    start: 1.7e12 + n,
    stop: 1.7e12 + n + 1,
  };
}
