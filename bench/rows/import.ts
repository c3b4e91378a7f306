/** `testledger import` of one large file: how fast its results are in the server, and the memory of the command. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { measureNode, type Measured } from '../processes/command.js';
import { outboxShown, type Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';
import { undisturbed } from '../table/turns.js';

const RESULTS_A_SECOND = 20_000;
const PEAK_MIB = 200;

/** Measures from the start of the command to its end: by then, the results are in the log, on disk. */
export async function importRows(
  server: Server,
  { folder, turns, bytes }: { folder: string; turns: number; bytes: number },
): Promise<Row[]> {
  const file = join(folder, 'junit.xml');
  await mkdir(folder, { recursive: true });
  const results = await writeReport(file, bytes);
  const rates: number[] = [];
  const peaks: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    // The same contents without a key would be imported once only.
    const key = `bench ${process.pid} ${turn}`;
    const { seconds, peakMiB } = await undisturbed(async () => {
      // The outbox folds on for seconds after an import, and would take processor time from the next one.
      await outboxShown(server);
      return importOnce(server, file, `${key} ${performance.now()}`);
    });
    rates.push(results / seconds);
    peaks.push(peakMiB);
  }
  const note = `${results.toLocaleString('en')} results in ${Math.round(bytes / 1e6)} MB, one in a hundred failed`;
  return [
    compare({
      figure: 'import of JUnit: results',
      unit: '/s',
      measured: rates,
      reference: RESULTS_A_SECOND,
      atLeast: 1,
      note,
    }),
    compare({
      figure: '  resident memory of the command',
      unit: 'MiB',
      measured: peaks,
      reference: PEAK_MIB,
      atLeast: 1,
      note: 'highest',
    }),
  ];
}

const main = fileURLToPath(new URL('../../program/cli.js', import.meta.url));

function importOnce({ url, key, project }: Server, file: string, runKey: string): Promise<Measured> {
  return measureNode([main, 'import', file, '--run-key', runKey, '--json', '--output', 'none'], {
    env: { ...process.env, TESTLEDGER_URL: url, TESTLEDGER_API_KEY: key, TESTLEDGER_PROJECT: project },
  });
}

/** Returns the number of results. */
async function writeReport(file: string, bytes: number): Promise<number> {
  let results = 0;
  const report = function* () {
    yield '<testsuites>\n<testsuite name="checkout" timestamp="2026-11-21T01:00:00Z">\n';
    for (let written = 0; written < bytes; results += 1) {
      const test = testCase(results);
      written += test.length;
      yield test;
    }
    yield '</testsuite>\n</testsuites>\n';
  };
  await pipeline(Readable.from(report()), createWriteStream(file));
  return results;
}

function testCase(n: number): string {
  const output = `<system-out>${'line of output of the test '.repeat(4)}</system-out>`;
  const failure =
    n % 100 === 0
      ? '<failure message="expected 0 to equal 4" type="AssertionError">at check (src/cart.js:7:1)</failure>'
      : '';
  const name = `classname="shop.module${n % 977}.Cart" name="pays by card number ${n}"`;
  return `<testcase ${name} time="${(n % 1_000) / 1_000}">${failure}${output}</testcase>\n`;
}
