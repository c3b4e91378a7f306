import { idOf } from '../ids.js';
import { EARLIER, NOW, specification, type Happened } from '../given.js';
import type { RunEvent } from '../../../src/domain/events.js';
import { run } from '../../../src/domain/runs/run.js';
import type { SubmitToRun } from '../../../src/domain/runs/submissions.js';
import { limits } from '../../../src/limits.js';

const given = specification(run);
const ids = { run_id: idOf('run'), project_id: idOf('project') };
const submission_id = idOf('run', 7);
const item_counts = { pending: 0, running: 0, passed: 3, failed: 0, skipped: 0, known_fail: 0 };

const call: SubmitToRun = {
  type: 'SubmitToRun',
  at: NOW,
  ...ids,
  run_key: 'a key',
  label: null,
  metadata: null,
  submission_id,
  items: 3,
  item_counts,
  replaced: 0,
  shard: null,
  items_hash: null,
  duration_ms: 5,
  started_at: EARLIER,
  finished_at: NOW,
  complete: false,
};
const inShard = (index: number, total: number, attempt = 1, items_hash = 'abc'): SubmitToRun => ({
  ...call,
  shard: { index, total, attempt },
  items_hash,
});

const happened = (event: Happened<RunEvent>): Happened<RunEvent> => event;
const created = happened({
  type: 'RunCreated',
  data: { ...ids, run_key: 'a key', label: null, metadata: null, items: 0 },
});
const started = { type: 'RunStarted', data: { ...ids, started_at: EARLIER } } as const;
const received = { type: 'ItemsReceived', data: { ...ids, submission_id } } as const;
const completed = (completion: number, reason: 'requested' | 'shards') =>
  ({ type: 'RunCompleted', data: { ...ids, finished_at: NOW, completion, reason } }) as const;
const submitted = ({ shard, items_hash }: SubmitToRun, completes = false, items = 3) =>
  ({
    type: 'ItemsSubmitted',
    data: {
      ...ids,
      submission_id,
      items,
      item_counts,
      replaced: 0,
      shard,
      items_hash,
      duration_ms: 5,
      finished_at: NOW,
      completes,
    },
  }) as const;
/** The history of a run with these calls. */
const calls = (...all: SubmitToRun[]) =>
  [created, ...all.flatMap((one) => [submitted(one), received]), started].map((event) =>
    happened(event as Happened<RunEvent>),
  );

describe('a run with a key', () => {
  it('is created and started by its first call', () =>
    given()
      .when(call)
      .happens(
        { ...created, data: { ...created.data, with_items: true } as never },
        submitted(call),
        started,
        received,
      ));

  it('takes later calls without more events than these', () =>
    given(...calls(call))
      .when({ ...call, started_at: NOW })
      .happens(submitted(call), received));

  it('starts when it is called, if no call says when', () =>
    given(created)
      .when({ ...call, started_at: null })
      .happens(submitted(call), { type: 'RunStarted', data: { ...ids, started_at: NOW } }, received));

  it('gets what it lacks of its description, and nothing else', () =>
    given(
      created,
      happened({ type: 'RunDescribed', data: { ...ids, metadata: { branch: 'main', __proto__: 1 } } }),
    )
      .when({ ...call, label: 'nightly', metadata: { commit: 'abc', branch: 'other' } })
      .happens(
        submitted(call),
        {
          type: 'RunDescribed',
          data: { ...ids, label: 'nightly', metadata: { branch: 'main', commit: 'abc' } },
        },
        started,
        received,
      ));

  it('has the pairs that the environments of all its calls share, and fills in no others later', () => {
    const inEnvironment = (environment: unknown) =>
      happened({ type: 'RunDescribed', data: { ...ids, metadata: { environment, branch: 'main' } } });
    const calls: [present: unknown, call: unknown, after: unknown][] = [
      [{ os: 'linux', node: 22 }, { node: '22', os: 'windows' }, { node: '22' }],
      [{ os: 'linux' }, { os: 'windows' }, {}],
      [{ os: 'linux' }, { os: 'linux,windows' }, {}],
      [{ os: 'linux', node: 22 }, { os: 'linux', node: '22', shell: 'bash' }, null],
      [{}, { os: 'windows' }, null],
      ['linux', { os: 'windows' }, null],
    ];
    for (const [environment, other, after] of calls) {
      const described = after === null ? [] : [inEnvironment(after)];
      given(created, inEnvironment(environment))
        .when({ ...call, metadata: { environment: other } })
        .happens(submitted(call), ...described, started, received);
    }
  });

  it('gets no metadata beyond the limits, name by name', () => {
    const large = 'x'.repeat(limits.metadataBytes - 100);
    given(created, happened({ type: 'RunDescribed', data: { ...ids, metadata: { large } } }))
      .when({ ...call, metadata: { more: 'y'.repeat(200), small: 1 } })
      .happens(
        submitted(call),
        { type: 'RunDescribed', data: { ...ids, metadata: { large, small: 1 } } },
        started,
        received,
      );
  });

  it('is completed by a call that says so, with its items before the end', () =>
    given(created)
      .when({ ...call, complete: true })
      .happens(submitted(call, true), started, completed(1, 'requested'), received));

  it('is completed without items, once', () => {
    const end: SubmitToRun = { ...call, items: 0, complete: true, started_at: null };
    given().when(end).happens(created, completed(1, 'requested'));
    given(...calls(call))
      .when(end)
      .happens(completed(1, 'requested'));
    given(...calls(call), happened(completed(1, 'requested')))
      .when(end)
      .nothingHappens();
  });

  it('takes a call that is named once: its repeat only describes the run, and completes it', () => {
    const named = { ...call, items_hash: 'abc' };
    given(...calls(named))
      .when(named)
      .nothingHappens();
    const described = {
      type: 'RunDescribed',
      data: { ...ids, label: 'nightly' },
    } as const;
    given(...calls(named))
      .when({ ...named, label: 'nightly', complete: true })
      .happens(described, completed(1, 'requested'));
    given(...calls(named), happened(completed(1, 'requested')))
      .when({ ...named, complete: true })
      .nothingHappens();
  });

  it('runs again with a call that does not complete it', () =>
    given(...calls(call), happened(completed(1, 'requested')))
      .when(call)
      .happens(submitted(call), started, received));

  it('is created again with its key without an event', () =>
    given(created)
      .when({ type: 'CreateRun', ...ids, run_key: 'a key' })
      .nothingHappens());

  it('takes up to 1,000,000 items', () => {
    const full = happened(submitted(call, false, limits.itemsPerRun - 3));
    given(created, full, received, started).when(call).happens(submitted(call), received);
    given(created, full, received, started)
      .when({ ...call, items: 4 })
      .refused('item_limit');
  });

  describe('in shards', () => {
    it('is completed when all of them are there, in any order', () => {
      given(...calls(inShard(3, 3), inShard(1, 3)))
        .when(inShard(2, 3))
        .happens(submitted(inShard(2, 3), true), completed(1, 'shards'), received);
      given(...calls(inShard(3, 3), inShard(3, 3, 2)))
        .when(inShard(2, 3))
        .happens(submitted(inShard(2, 3)), received);
    });

    it('is completed again by each attempt that comes later', () =>
      given(...calls(inShard(1, 1)), happened(completed(1, 'shards')))
        .when(inShard(1, 1, 2))
        .happens(submitted(inShard(1, 1, 2), true), completed(2, 'shards'), received));

    it('runs again if it was completed before all were there', () =>
      given(...calls(inShard(1, 3)), happened(completed(1, 'requested')))
        .when(inShard(2, 3))
        .happens(submitted(inShard(2, 3)), started, received));

    it('is completed by its client or as idle though shards are missing', () => {
      const history = calls(inShard(1, 3));
      const ended = { ...ids, finished_at: NOW, completion: 1 };
      given(...history)
        .when({ type: 'CompleteIdleRun', at: NOW })
        .happens({ type: 'RunCompleted', data: { ...ended, reason: 'idle' } });
      given(...history)
        .when({ type: 'UpdateRun', status: 'Completed', at: NOW })
        .happens({ type: 'RunCompleted', data: { ...ended, reason: 'requested' } });
    });

    it('takes an attempt once', () => {
      const history = calls(inShard(1, 2));
      given(...history)
        .when(inShard(1, 2))
        .nothingHappens();
      given(...history)
        .when(inShard(1, 2, 1, 'other'))
        .refused('shard_exists');
    });

    it('takes what it lacks of its description from an attempt that comes again', () =>
      given(...calls(inShard(1, 2)))
        .when({ ...inShard(1, 2), label: 'nightly' })
        .happens({ type: 'RunDescribed', data: { ...ids, label: 'nightly' } }));

    it('has one total, and no calls without shards', () => {
      given(...calls(inShard(1, 2)))
        .when(inShard(2, 3))
        .refused('shard_total');
      given(...calls(inShard(1, 2)))
        .when(call)
        .refused('shard_mixed');
      given(...calls(inShard(1, 2)))
        .when({ ...call, items: 0, complete: true })
        .refused('shard_mixed');
      given(...calls(call))
        .when(inShard(1, 2))
        .refused('shard_mixed');
    });
  });
});
