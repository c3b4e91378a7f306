import { expect } from 'chai';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import { serializeByStream } from '../../src/commands/serialize-by-stream.js';
import { submitToRun } from '../../src/commands/submissions/submit-to-run.js';
import { idsFrom } from '../../src/commands/ids.js';
import { streamName } from '../../src/domain/event.js';
import { itemId } from '../../src/domain/ids.js';
import { result } from '../../src/domain/results/result.js';
import { runIdOf } from '../../src/domain/runs/run-key.js';
import type { EventData } from '../../src/domain/events.js';
import { AppError } from '../../src/errors.js';
import { limits } from '../../src/limits.js';
import { openFeed } from '../../src/log/feed.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun } from '../stores.js';
import { dyingLog } from './dying-log.js';
import { keyedSubmission, type SentItem } from './submissions.given.js';

const COUNT = 7;
const CHUNKS_PER_APPEND = 2;
/** Two appends of items, two in each chunk, and the append of the run. */
const APPENDS = 3;
const SEED = '01910b7e-1111-7111-8111-111111111111';

type CallOptions = { log?: EventLog; commands?: CommandHandler; context?: Partial<CommandContext> };

describe('a call to a run with a key', () => {
  const stores = embeddedStores('each suite');
  const named = (count: number, more: SentItem = {}) =>
    Array.from({ length: count }, (_, n): SentItem => ({ test_name: `test ${n}`, ...more }));
  const shard = (index: number, total: number, attempt = 1) => ({ shard: { index, total, attempt } });

  const dying = (at: number, when: 'before' | 'after') =>
    dyingLog(stores.log, { at, when, eventsPerAppend: CHUNKS_PER_APPEND });

  async function given() {
    const { team, project_id } = await givenRun(stores.log);
    const run_id = runIdOf(project_id, 'a key')!;
    const call = (
      items: readonly SentItem[],
      more: Parameters<typeof keyedSubmission>[2] = {},
      { log = stores.log, commands = openCommandHandler(log), context = {} }: CallOptions = {},
    ) => submitToRun(commands, log, contextOf(team, context), keyedSubmission(project_id, items, more));
    const seen = async () => {
      const filter = { streams: [`run-${team}.`, `items-${team}.`] };
      const { events } = await openFeed(stores.log).read({ after: '', limit: 5_000, filter });
      return events.filter(({ data }) => (data as { run_id?: string }).run_id === run_id);
    };
    const types = async () => (await seen()).map(({ type }) => type);
    const items = async () =>
      (await seen()).flatMap(({ type, data }) =>
        type === 'ResultSubmitted' ? [data as EventData['ResultSubmitted']] : [],
      );
    return { team, project_id, run_id, call, seen, types, items };
  }

  const whole = (count: number, ...ends: string[]) => [
    'ItemsSubmitted',
    ...Array.from({ length: count }, () => 'ResultSubmitted'),
    ...ends,
    'ItemsReceived',
  ];

  for (const when of ['before', 'after'] as const) {
    for (let at = 1; at <= APPENDS; at += 1) {
      it(`that died ${when} append ${at} of ${APPENDS} exists completely or not at all, and once after its repeat`, async () => {
        const { call, types, items, team } = await given();
        await call([{ test_name: 'first' }], shard(1, 2));
        const before = await types();
        await refusal(call(named(COUNT), shard(2, 2), { log: dying(at, when) }), 'log_unavailable');
        const made = when === 'after' && at === APPENDS;
        const after = [...before, ...whole(COUNT, 'RunCompleted')];
        expect(await types()).to.deep.equal(made ? after : before);
        await stores.restart();
        expect(await call(named(COUNT), shard(2, 2))).to.include({
          made: false,
          count: COUNT + 1,
          status: 'Completed',
        });
        expect(await types()).to.deep.equal(after);
        const ids = (await items()).map(({ result_id }) => result_id);
        expect(new Set(ids).size).to.equal(COUNT + 1);
        for (const id of ids) {
          const { life } = await openCommandHandler(stores.log).load(result, streamName('result', team, id));
          expect(life).to.equal('present');
        }
      });

      it(`with an Idempotency-Key that died ${when} append ${at} of ${APPENDS} is completed by its repeat`, async () => {
        const { call, types, team } = await given();
        const context = (resumed: boolean) => ({ context: { ids: idsFrom(SEED), resumed } });
        await refusal(call(named(COUNT), {}, { log: dying(at, when), ...context(false) }), 'log_unavailable');
        await stores.restart();
        expect(await call(named(COUNT), {}, context(true))).to.include({ made: true, count: COUNT });
        expect(await types()).to.deep.equal(['RunCreated', ...whole(COUNT, 'RunStarted')]);
        // The repeat goes on with the items of the first try.
        const stream = streamName('items', team, idsFrom(SEED).created('run'));
        expect(await eventsOf(stores.log, stream)).to.have.length(COUNT);
      });
    }
  }

  for (const when of ['before', 'after'] as const) {
    for (let at = 1; at <= APPENDS; at += 1) {
      it(`that is named and died ${when} append ${at} of ${APPENDS} is completed by its repeat, whenever it comes`, async () => {
        const { call, types, items } = await given();
        const name = { submission_key: 'a name' };
        await refusal(call(named(COUNT), name, { log: dying(at, when) }), 'log_unavailable');
        await stores.restart();
        const again = await call(named(COUNT), name);
        expect(again).to.include({ count: COUNT, repeated: when === 'after' && at === APPENDS });
        expect(await types()).to.deep.equal(['RunCreated', ...whole(COUNT, 'RunStarted')]);
        const ids = (await items()).map(({ result_id }) => result_id);
        expect(ids).to.deep.equal(Array.from({ length: COUNT }, (_, n) => itemId(again.submission_id!, n)));
        expect(await call(named(COUNT), name)).to.deep.equal({ ...again, made: false, repeated: true });
      });
    }
  }

  it('that is named takes effect once beside itself, and beside other items or other names', async () => {
    const { call, items } = await given();
    const names = ['a', 'a', 'b', 'b', 'b'];
    const made = await Promise.all(names.map((submission_key) => call(named(COUNT), { submission_key })));
    expect(new Set(made.map(({ submission_id }) => submission_id)).size).to.equal(2);
    expect(await items()).to.have.length(2 * COUNT);
    expect(await call(named(1), { submission_key: 'a' })).to.include({ repeated: false });
    expect(await items()).to.have.length(2 * COUNT + 1);
  });

  it('that never took effect leaves items that do not exist', async () => {
    const { call, team } = await given();
    const context = { ids: idsFrom(SEED) };
    await refusal(call(named(COUNT), {}, { log: dying(APPENDS, 'before'), context }), 'log_unavailable');
    const item = () =>
      openCommandHandler(stores.log).load(
        result,
        streamName('result', team, itemId(idsFrom(SEED).created('run'), 0)),
      );
    expect((await item()).life).to.equal('none');
    await call([{ test_name: 'other' }]);
    expect((await item()).life).to.equal('none');
    await call(named(COUNT), {}, { context: { ...context, resumed: true } });
    expect((await item()).life).to.equal('present');
  });

  it('that comes again with the same items writes nothing', async () => {
    const { call, seen } = await given();
    const first = await call(named(3), shard(1, 2));
    const head = await stores.log.head();
    expect(await call(named(3), shard(1, 2))).to.deep.equal({ ...first, made: false, repeated: true });
    for (const [more, code] of [
      [{ ...shard(1, 2), items: named(2) }, 'shard_exists'],
      [{ ...shard(1, 3), items: named(3) }, 'shard_total'],
      [{ items: named(3) }, 'shard_mixed'],
    ] as const) {
      const { items, ...rest } = more;
      await refusal(call(items, rest), code);
    }
    expect(await stores.log.head()).to.equal(head);
    expect(await seen()).to.have.length(3 + 4);
  });

  it('that comes again with other bytes is known by its items, whatever the order of names in metadata', async () => {
    const { call } = await given();
    const log = { ...stores.log, limits: { events: CHUNKS_PER_APPEND, bytes: 1_000_000 } };
    const last: SentItem = {
      test_name: 'last',
      metadata: { b: [{ y: 1, x: 2 }], a: 1 },
      execution_time_ms: 5,
    };
    const sent = [...named(COUNT), last];
    const first = await call(sent, shard(1, 2), { log });
    const head = await stores.log.head();
    const again = [...named(COUNT), { ...last, metadata: { a: 1, b: [{ x: 2, y: 1 }] } }];
    expect(await call(again, shard(1, 2), { log })).to.deep.equal({ ...first, made: false, repeated: true });
    const others: SentItem[][] = [
      sent.slice(0, -1),
      [...sent, { test_name: 'one more' }],
      [last, ...named(COUNT)],
      ...[
        { test_name: 'another' },
        { status: 'Skipped' as const },
        { attempt: 2 },
        { execution_time_ms: 6 },
        { error_message: 'an error' },
        { started_at: '2026-05-04T03:02:01.000Z' },
        { metadata: null },
        { metadata: { b: [{ y: 1, x: 3 }], a: 1 } },
      ].map((more) => [...sent.slice(0, -1), { ...last, ...more }]),
    ];
    for (const items of others) await refusal(call(items, shard(1, 2), { log }), 'shard_exists');
    expect(await stores.log.head()).to.equal(head);
  });

  it('at the same time as many others takes effect once, and no item is lost or doubled', async () => {
    const { call, types, items } = await given();
    const calls = Array.from({ length: 10 }, (_, n) => [n, n]).flat();
    const made = await Promise.all(
      calls.map((n) => call([{ test_name: `test ${n}` }, { test_name: `test ${n}b` }], shard(n + 1, 10))),
    );
    expect(made.filter((each) => each.made)).to.have.length(1);
    expect((await items()).map(({ test_name }) => test_name).sort()).to.deep.equal(
      Array.from({ length: 10 }, (_, n) => [`test ${n}`, `test ${n}b`])
        .flat()
        .sort(),
    );
    expect((await types()).filter((type) => type === 'RunCompleted')).to.have.length(1);
  });

  it('appends its items without waiting for the items of another call', async () => {
    const { call, items } = await given();
    let release: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow: EventLog = {
      ...stores.log,
      async append(stream, ...rest) {
        if (stream.startsWith('items-')) await released;
        return stores.log.append(stream, ...rest);
      },
    };
    const commands = serializeByStream(openCommandHandler(stores.log));
    const first = call(named(2), shard(1, 2), { log: slow, commands });
    await call(named(3), shard(2, 2), { commands });
    release!();
    await first;
    expect(await items()).to.have.length(2 + 3);
  });

  it('that meets another attempt of its shard while it writes says what they replace of each other', async () => {
    const { call, items } = await given();
    await call(named(3, { status: 'Failed' }), shard(1, 1));
    let other: Promise<unknown> | null = null;
    // The second attempt takes effect between the items of the third and the append to the run.
    const log: EventLog = {
      ...stores.log,
      async append(stream, ...rest) {
        if (stream.startsWith('run-') && other === null) await (other = call(named(2), shard(1, 1, 2)));
        return stores.log.append(stream, ...rest);
      },
    };
    expect(await call(named(1), shard(1, 1, 3), { log })).to.include({ count: 3 });
    const all = await items();
    const ofName = (name: string) => all.filter(({ test_name }) => test_name === name);
    const [first, second, third] = ofName('test 0');
    expect(third!.replaces).to.deep.equal([first!.result_id, second!.result_id]);
    expect(all).to.have.length(3 + 2 + 1);
  });

  it('relates a shard to attempts of any length, page by page', async () => {
    const { call, items } = await given();
    await call(named(2_300), shard(1, 1));
    expect(await call(named(2_300), shard(1, 1, 2))).to.include({ count: 2_300 });
    const all = await items();
    all.slice(2_300).forEach(({ replaces }, n) => expect(replaces).to.deep.equal([all[n]!.result_id]));
  });

  it('is refused where one result would replace too many', async () => {
    const { call } = await given();
    const same = (count: number) => Array.from({ length: count }, (): SentItem => ({}));
    await call(same(limits.supersededPerItem), shard(1, 1, 2));
    expect(await call(same(1), shard(1, 1, 3))).to.include({ count: 1 });
    const error = await refusal(call(same(1), shard(1, 1, 1)), 'validation_failed');
    expect((error as AppError).fields).to.have.length(1);
  });
});
