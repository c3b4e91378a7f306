/**
 * `node dist/test/own-run/check.js <passing> <shards>`. Ends with 0 where the run that the suites posted, read back, has
 * exactly the tests that mocha counted, and all of them passed.
 */
import { isDeepStrictEqual } from 'node:util';
import { ownLedger, readOwnRun } from './ledger.js';

const [passing, shards] = process.argv.slice(2).map(Number);
const ledger = ownLedger();
if (ledger === null || passing === undefined || shards === undefined)
  throw new Error('the check needs the variables OWN_LEDGER_*, and the numbers of tests and shards');
const run = await readOwnRun(ledger);
const none = { pending: 0, running: 0, failed: 0, skipped: 0, known_fail: 0 };
const wanted = {
  status: 'completed',
  outcome: 'passed',
  counts: { total: passing, passed: passing, ...none },
  results: passing,
  shards: Array.from({ length: shards }, (_, n) => n + 1),
};
const received = run?.shards?.received ?? [];
const found = run && {
  status: run.status,
  outcome: run.outcome,
  counts: run.counts,
  results: received.reduce((sum, { results }) => sum + results, 0),
  shards: received.map(({ index }) => index).sort((a, b) => a - b),
};
if (isDeepStrictEqual(found, wanted)) {
  console.log(`the run read back has ${passing} passed tests in ${shards} shards, as mocha counted`);
} else {
  console.log('mocha counted', wanted, 'the run read back has', found);
  process.exitCode = 1;
}
