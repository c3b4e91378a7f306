/**
 * The reporter of mocha beside 10,000 tests: what it adds to their time, processor time and memory, with a server on the
 * same machine.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureNode, type Measured } from '../processes/command.js';
import type { Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';
import { undisturbed } from '../table/turns.js';

const FILES = 100;
const TESTS_A_FILE = 100;
/**
 * What a test computes. A test that waits on a timer instead hides the reporter's work in the wait, and timers make the
 * time of the same tests differ by 7 % from turn to turn. Mocha itself needs some 30 µs for a test.
 */
const TEST_MS = 5;
/** Of the time of mocha alone. */
const MOST_SHARE = 0.02;
const MOST_MIB = 20;

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const reporter = fileURLToPath(new URL('../../src/reporters/mocha.js', import.meta.url));

/** Runs the tests with mocha's reporter `dot`, and with ours, which prints through `dot`, in turns. */
export async function reporterRows(
  { url, key, project }: Server,
  { folder, turns }: { folder: string; turns: number },
): Promise<Row[]> {
  await writeTests(folder);
  const posting = { TESTLEDGER_URL: url, TESTLEDGER_API_KEY: key, TESTLEDGER_PROJECT: project };
  const once = (options: readonly string[], env: NodeJS.ProcessEnv) =>
    undisturbed(() =>
      measureNode([mocha, '--no-config', ...options, `${folder}/*.mjs`], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...env },
      }),
    );
  const alone = () => once(['--reporter', 'dot'], {});
  const reported = async (turn: number) => {
    const posted = await once(['--reporter', reporter, '--reporter-option', 'reporter=dot'], {
      ...posting,
      TESTLEDGER_RUN_KEY: `bench ${process.pid} ${turn}`,
    });
    if (!posted.stderr.includes(`${FILES * TESTS_A_FILE} results are posted`))
      throw new Error(`the reporter did not post all results: ${posted.stderr}`);
    return posted;
  };
  const [without, beside]: [Measured[], Measured[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    // The first of a turn changes, so that a machine that becomes slower favours neither.
    if (turn % 2 === 0) without.push(await alone());
    beside.push(await reported(turn));
    if (turn % 2 === 1) without.push(await alone());
  }
  const note = `${(FILES * TESTS_A_FILE).toLocaleString('en')} tests of ${TEST_MS} ms; reference: mocha alone`;
  return [
    compare({
      figure: 'mocha with the reporter',
      unit: 'ms',
      measured: beside.map(({ seconds }) => seconds * 1_000),
      reference: without.map(({ seconds }) => seconds * 1_000),
      atLeast: 1 / (1 + MOST_SHARE),
      note,
    }),
    compare({
      figure: '  processor time more',
      unit: 'ms',
      measured: beside.map((one, n) =>
        Math.max(1, (one.processorSeconds - without[n]!.processorSeconds) * 1_000),
      ),
      reference: without.map(({ seconds }) => seconds * 1_000 * MOST_SHARE),
      atLeast: 1,
      note: `less that of mocha alone; reference: ${MOST_SHARE * 100} % of its time`,
    }),
    compare({
      figure: '  resident memory more',
      unit: 'MiB',
      measured: beside.map(({ peakMiB }, n) => Math.max(1, peakMiB - without[n]!.peakMiB)),
      reference: MOST_MIB,
      atLeast: 1,
      note: 'highest, less that of mocha alone',
    }),
  ];
}

async function writeTests(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const body = `describe('the shop', () => {
  for (let n = 0; n < ${TESTS_A_FILE}; n += 1)
    it(\`sells shoe number \${n} of the shelf FILE\`, () => {
      const end = performance.now() + ${TEST_MS};
      while (performance.now() < end);
    });
});
`;
  for (let n = 0; n < FILES; n += 1)
    await writeFile(join(folder, `shelf-${n}.mjs`), body.replace('FILE', String(n)));
}
