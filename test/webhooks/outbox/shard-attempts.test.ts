import { expect } from 'chai';
import { streamName, type RecordedEvent, type StreamName } from '../../../src/domain/event.js';
import { itemId } from '../../../src/domain/ids.js';
import { openShardAttempts } from '../../../src/webhooks/outbox/shard-attempts.js';
import { idOf } from '../../domain/ids.js';
import { attemptInRun } from '../../../src/domain/test-history/attempt-in-run.js';
import { openMemoryLog } from './memory-log.js';

const team = idOf('team', 1);
const run_id = idOf('run', 1);
const calls = { first: idOf('run', 2), second: idOf('run', 3), unsharded: idOf('run', 4) };

function recorded(stream: StreamName, type: string, data: object, revision = 0): RecordedEvent {
  return {
    stream,
    type,
    data,
    revision,
    position: '',
    id: '',
    version: 1,
    meta: {},
  } as unknown as RecordedEvent;
}
const submitted = (submission_id: string, attempt: number | null, revision: number) =>
  recorded(
    streamName('run', team, run_id),
    'ItemsSubmitted',
    { submission_id, shard: attempt === null ? null : { index: 1, total: 1, attempt } },
    revision,
  );
const item = (submission: string, run = run_id) =>
  recorded(streamName('items', team, submission), 'ResultSubmitted', { run_id: run });
const created = (n: number, retry_of: string | null) =>
  recorded(streamName('result', team, idOf('result', n)), 'ResultCreated', {
    result_id: idOf('result', n),
    run_id,
    retry_of,
  });

describe('the attempt of the shard of a result', () => {
  const log = [
    submitted(calls.first, 1, 0),
    submitted(calls.second, 7, 1),
    submitted(calls.unsharded, null, 2),
    created(1, itemId(calls.second, 3)),
    created(2, idOf('result', 1)),
    created(3, null),
  ];

  /** What is found, and how many reads it took. */
  async function found(events: readonly RecordedEvent[], before: readonly RecordedEvent[] = []) {
    const stored = openMemoryLog(log as never);
    let reads = 0;
    const shardAttempts = openShardAttempts({
      readStream: (...asked) => {
        reads += 1;
        return stored.readStream(...asked);
      },
    });
    await shardAttempts(before);
    const of = await shardAttempts(events);
    return { attempts: events.map(of), reads };
  }

  it('is that of its call, which needs no read, because the call comes before its results', async () => {
    const events = [item(calls.first), item(calls.second), item(calls.second), item(calls.unsharded)];
    const wanted = { attempts: [1, 7, 7, null], reads: 0 };
    expect(await found(events, log.slice(0, 3))).to.deep.equal(wanted);
  });

  it('is read where the call was in a batch before a restart', async () => {
    const { attempts } = await found([item(calls.second), item(calls.unsharded)]);
    expect(attempts).to.deep.equal([7, null]);
  });

  it('is that of the retried result, and of the one that this one retried', async () => {
    const { attempts } = await found([created(1, itemId(calls.second, 3)), created(2, idOf('result', 1))]);
    expect(attempts).to.deep.equal([7, 7]);
  });

  it('needs no read for any number of retries of retries, and one read for each after a restart', async () => {
    const chain = [
      created(3, null),
      ...Array.from({ length: 50 }, (_, n) => created(n + 4, idOf('result', n + 3))),
    ];
    expect(await found(chain)).to.deep.equal({ attempts: chain.map(() => null), reads: 0 });
    expect((await found(chain.slice(1))).reads).to.equal(1);
    const ofShard = [
      created(4, idOf('result', 2)),
      created(5, idOf('result', 4)),
      created(6, idOf('result', 5)),
    ];
    expect((await found(ofShard)).attempts).to.deep.equal([7, 7, 7]);
  });

  it('is null for results of a run without a key, and for those recorded by themselves, without a read', async () => {
    const wanted = { attempts: [null, null], reads: 0 };
    expect(await found([item(run_id), created(3, null)])).to.deep.equal(wanted);
  });
});

describe('the place of an attempt in its run', () => {
  it('follows the attempt of the shard first, and then the attempt within it', () => {
    const inOrder = [1, 2, 3, 31].flatMap((shard) =>
      [1, 2, 31, 32].map((attempt) => attemptInRun(attempt, shard)),
    );
    expect(inOrder).to.deep.equal(inOrder.toSorted((one, other) => one - other));
    expect(new Set(inOrder).size).to.equal(inOrder.length);
  });

  it('is from 1 to 1,000 for every attempt', () => {
    for (const shard of [1, 31, 32, 1_000]) {
      for (const attempt of [1, 32, 33, 1_000]) expect(attemptInRun(attempt, shard)).to.be.within(1, 1_000);
    }
    for (const attempt of [1, 1_000]) expect(attemptInRun(attempt, null)).to.equal(attempt);
  });
});
