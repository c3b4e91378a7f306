/**
 * Posts a suite as one shard of the run of `.ci/run`, by `testledger/mocha`. A shard is one call, and a suite runs in many
 * mocha processes, so none of them can post it. This process gets their events, as it does in mocha's parallel mode, and
 * gives them to the reporter when all have ended: then no test waits, and no busy lane makes the call late.
 */
import { EventEmitter } from 'node:events';
import type { Runner } from 'mocha';
import { shardFrom, type Shard } from '../../src/client/shard.js';
import testledgerReporter from '../../src/reporters/mocha.js';
import type { LaneEvent } from './lane-reporter.js';
import { readOwnRun, type OwnLedger } from './ledger.js';

/** The reporter gives up after 5 s, which a busy machine can need. The same shard again adds nothing. */
const TRIES = 5;

/** @throws Error where the server does not have the shard */
export async function postShard(
  events: readonly LaneEvent[],
  shard: Shard,
  ledger: OwnLedger,
): Promise<void> {
  for (let n = 1; n <= TRIES; n += 1) {
    await replay(events, shard, ledger);
    const run = await readOwnRun(ledger);
    if (run?.shards?.received.some(({ index }) => index === shard.index)) return;
  }
  throw new Error(`shard ${shard.index}/${shard.total} was not posted to ${ledger.url}`);
}

/** As the suite ran: mocha emits these events, and then calls `done`. */
async function replay(
  events: readonly LaneEvent[],
  shard: Shard,
  { url, apiKey, project, runKey }: OwnLedger,
): Promise<void> {
  const runner = new EventEmitter();
  const reporter = testledgerReporter(runner as Runner, {
    reporterOptions: { url, apiKey, project, runKey, shard, reporter: 'none' },
  });
  for (const { name, titlePath, retry, error, ...test } of events) {
    const replayed = { ...test, titlePath: () => titlePath, currentRetry: () => retry };
    runner.emit(name, replayed, error);
  }
  await new Promise<void>((resolve) => reporter.done?.(0, () => resolve()));
}

/** @throws Error where the text is none, such as `1/2` */
export function shardNamed(text: string): Shard {
  const shard = shardFrom(text);
  if (shard === null) throw new Error(`"${text}" is no shard, such as 1/2`);
  return shard;
}
