import { expect } from 'chai';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSuite } from './run.js';
import type { Suite } from './suites.js';

/** The bodies of test files; each has two tests. */
const passing = `it('one', () => {}); it('two', () => {});`;
const failing = `it('one', () => {}); it('two', () => { throw new Error('as expected'); });`;
const hookFails = `describe('a block', () => { before(() => { throw new Error('in a hook'); }); ${passing} });`;
const ends = `it('one', () => {}); it('two', () => process.exit(0));`;
const staysOpen = `after(() => { setInterval(() => {}, 1_000); }); ${passing}`;
const endsLate = `after(() => process.exit(0)); ${passing}`;
// The second test is declared, and no run executes it.
const short = `
  it('one', function () { this.test.parent.suites[0].tests = []; });
  describe('a block', () => { it('two', () => {}); });
`;
const broken = `throw new Error('at load');`;

describe('the runner of the tests', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'testledger-runner-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function run(
    files: Record<string, string>,
    limits: Partial<Suite> = {},
  ): Promise<{ passed: boolean; printed: string }> {
    for (const [name, body] of Object.entries(files)) await writeFile(join(folder, `${name}.cjs`), body);
    const lines: string[] = [];
    const spec = [`${folder}/*.cjs`];
    const suite = { config: '.mocharc.json', spec, ignore: [], ...limits };
    const passed = await runSuite(suite, { lanes: 2, print: (line) => lines.push(line) });
    return { passed, printed: lines.join('\n') };
  }

  it('passes where every test of every file passes, and says how many', async () => {
    const { passed, printed } = await run({ a: passing, b: passing });
    expect(printed).to.match(/^✔ .*: 2 tests .*\n✔ .*: 2 tests .*\n\n {2}4 passing \(/);
    expect(passed).to.equal(true);
  });

  it('runs files that measure times before it starts any other', async () => {
    const { printed } = await run({ a: passing, b: passing }, { alone: /b\.cjs$/ });
    expect(printed).to.match(/^✔ .*b\.cjs: 2 tests .*\n✔ .*a\.cjs: 2 tests .*\n\n {2}4 passing \(/);
  });

  it('fails where a test fails, and shows why', async () => {
    const { passed, printed } = await run({ a: passing, b: failing });
    expect(printed).to.match(/^ {2}3 passing \(.*\n {2}1 failing$/m);
    expect(printed).to.contain('as expected');
    expect(passed).to.equal(false);
  });

  it('prints the reason under the file, also where a run is ended before its summary', async () => {
    const { printed } = await run({ b: failing });
    expect(printed.indexOf('as expected')).to.be.lessThan(printed.indexOf('1 passing'));
  });

  it('ends a file that stays open after its last test, and fails', async () => {
    const { passed, printed } = await run({ a: staysOpen }, { openAfterReportMs: 100 });
    expect(printed).to.contain('mocha did not end 0.1 s after its report: a test left something open');
    expect(passed).to.equal(false);
  });

  for (const [file, body] of Object.entries({
    'that ends the process with 0': ends,
    'that ends it after its last test': endsLate,
    'whose hook fails': hookFails,
    'of which a test is missing': short,
  })) {
    it(`fails where there is a file ${file}`, async () => {
      const { passed, printed } = await run({ a: passing, z: body });
      expect(printed).to.match(/^ {2}✖ \d of 4 tests did not run$/m);
      expect(passed).to.equal(false);
    });
  }

  it('fails where a file cannot be loaded, and shows why', async () => {
    const { passed, printed } = await run({ a: passing, z: broken });
    expect(printed).to.contain('at load').and.contain('mocha ended with 1 and without its report');
    expect(passed).to.equal(false);
  });

  it('fails where a file has no test', async () => {
    const { passed, printed } = await run({ a: passing, z: '' });
    expect(printed).to.match(/^ {2}✖ .*z\.cjs has no test$/m);
    expect(passed).to.equal(false);
  });

  it('fails where there is no test at all', async () => {
    const { passed, printed } = await run({ a: '' });
    expect(printed).to.contain('no test was found');
    expect(passed).to.equal(false);
  });
});
