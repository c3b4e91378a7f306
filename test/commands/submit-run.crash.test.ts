import { expect } from 'chai';
import { openFeed } from '../../src/log/feed.js';
import { openIdempotency, type IdempotentRequest } from '../../src/commands/idempotency.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { packItems } from '../../src/commands/submissions/packed-items.js';
import type { Submission } from '../../src/commands/submissions/submission.js';
import { submitRun } from '../../src/commands/submissions/submit-run.js';
import { result } from '../../src/domain/results/result.js';
import { streamName } from '../../src/domain/event.js';
import { itemId } from '../../src/domain/ids.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun } from '../stores.js';
import { dyingLog } from './dying-log.js';

const COUNT = 10;
const ITEMS_PER_CHUNK = 3;
/** Four appends of items, and the append of the run. */
const APPENDS = 5;

describe('a submission', () => {
  const stores = embeddedStores('each suite');
  const attempt = async (boot: string): Promise<IdempotentRequest> => {
    const report = (error: unknown) => expect.fail(String(error));
    const begin = openIdempotency(stores.state, { boot, alone: true }, stores.clock, report);
    const begun = await begin({ scope: 'a scope', bodyHash: 'a body', project_ids: null });
    return 'ids' in begun ? begun : expect.fail('it was answered before');
  };

  function submissionOf(project_id: string, perChunk = ITEMS_PER_CHUNK): Submission {
    const items = packItems({ project_id, hash: null, most: { items: perChunk, characters: 10_000 } });
    for (let n = 0; n < COUNT; n += 1) {
      items.add({
        test_name: `test ${n}`,
        status: 'Passed',
        error_message: null,
        metadata: null,
        started_at: null,
        execution_time_ms: n,
        attempt: 1,
      });
    }
    return {
      project_id,
      label: 'nightly',
      metadata: { branch: 'main' },
      started_at: null,
      finished_at: null,
      count: COUNT,
      counts: items.counts,
      run_key: null,
      shard: null,
      submission_key: null,
      complete: false,
      items_hash: null,
      duration_ms: items.duration_ms,
      relate: async () => 0,
      async *appends(born, limits, from) {
        yield* items.appends(born, limits, from);
      },
    };
  }

  const dying = (at: number, when: 'before' | 'after') =>
    dyingLog(stores.log, { at, when, eventsPerAppend: 1 });

  async function submit(
    team: string,
    project_id: string,
    { ids, at, resumed }: IdempotentRequest,
    log: EventLog,
    perChunk?: number,
  ) {
    const context = contextOf(team, { ids, at, resumed });
    return submitRun(openCommandHandler(log), log, context, submissionOf(project_id, perChunk));
  }

  async function seen(team: string) {
    const { events } = await openFeed(stores.log).read({
      after: '',
      limit: 1_000,
      filter: { streams: [`run-${team}.`, `items-${team}.`] },
    });
    return events.filter(({ meta }) => meta.team_id === team);
  }

  for (const when of ['before', 'after'] as const) {
    for (let at = 1; at <= APPENDS; at += 1) {
      it(`that died ${when} append ${at} of ${APPENDS} exists completely or not at all, and once after its retry`, async () => {
        const { team, project_id } = await givenRun(stores.log);
        const before = (await seen(team)).length;
        const first = await attempt('first start');
        await refusal(submit(team, project_id, first, dying(at, when)), 'log_unavailable');
        const made = when === 'after' && at === APPENDS;
        expect((await seen(team)).length - before).to.equal(made ? COUNT + 2 : 0);
        // An item counts only if its run says so.
        const item = streamName('result', team, itemId(first.ids.created('run'), 0));
        const { life } = await openCommandHandler(stores.log).load(result, item);
        expect(life).to.equal(made ? 'present' : 'none');

        await stores.restart();
        const second = await attempt('second start');
        expect(second.resumed).to.equal(true);
        const run_id = first.ids.created('run');
        expect(await submit(team, project_id, second, dying(0, 'before'))).to.include({
          run_id,
          count: COUNT,
        });
        const events = (await seen(team)).slice(before);
        expect(events.map(({ type }) => type)).to.deep.equal([
          'RunCreated',
          ...Array.from({ length: COUNT }, () => 'ResultSubmitted'),
          'RunCompleted',
        ]);
        expect(events[1]!.data).to.include({ run_id, run_branch: 'main', test_name: 'test 0' });
        expect(await eventsOf(stores.log, streamName('items', team, run_id))).to.have.length(COUNT);
      });
    }
  }

  for (const perChunk of [1, 2, 4, 5, 7, 100]) {
    it(`that was cut off is completed by its retry when a chunk has ${perChunk} items instead of ${ITEMS_PER_CHUNK}`, async () => {
      const { team, project_id } = await givenRun(stores.log);
      const first = await attempt('first start');
      await refusal(submit(team, project_id, first, dying(2, 'after')), 'log_unavailable');
      await stores.restart();
      const second = await attempt('second start');
      const run_id = first.ids.created('run');
      expect(await submit(team, project_id, second, stores.log, perChunk)).to.include({
        run_id,
        count: COUNT,
      });
      const items = await eventsOf(stores.log, streamName('items', team, run_id));
      expect(items.map(({ data }) => (data as { test_name: string }).test_name)).to.deep.equal(
        Array.from({ length: COUNT }, (_, n) => `test ${n}`),
      );
    });
  }

  it('for a project that is missing or takes no writes leaves nothing behind', async () => {
    const { team } = await givenRun(stores.log);
    const head = await stores.log.head();
    const nowhere = submissionOf('project_01h455vb4pex5vsknk084sn02q');
    await refusal(
      submitRun(openCommandHandler(stores.log), stores.log, contextOf(team), nowhere),
      'not_found',
    );
    expect(await stores.log.head()).to.equal(head);
  });
});
