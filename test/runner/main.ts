/** `node dist/test/runner/main.js [all | process | stack | tools | browser]`. Ends with 0 where every test ran and passed. */
import { availableParallelism } from 'node:os';
import { ownLedger } from '../own-run/ledger.js';
import { postShard, shardNamed } from '../own-run/post-shard.js';
import { stopAll } from './mocha.js';
import { runSuite } from './run.js';
import { suiteNamed } from './suites.js';

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.once('exit', stopAll);
const suite = suiteNamed(process.argv[2] ?? 'all');
/** One more than the cores, because tests wait; `TEST_LANES` sets another number. */
const lanes = Number(process.env['TEST_LANES'] ?? suite.lanes ?? availableParallelism() + 1);
const ledger = ownLedger();
const shard = shardNamed(process.env['OWN_LEDGER_SHARD'] ?? '1/1');
process.exitCode = (await runSuite(suite, {
  lanes,
  print: console.log,
  ...(ledger && { post: (events) => postShard(events, shard, ledger) }),
}))
  ? 0
  : 1;
