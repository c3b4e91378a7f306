import { expect } from 'chai';
import { addMilliseconds } from '../../src/clock.js';
import { idsFrom, newIds, newSeed } from '../../src/commands/ids.js';
import { LEASE_MS } from '../../src/leases/lease.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { recordResult, viewResult } from '../../src/commands/results.js';
import { streamName, type NewEvent } from '../../src/domain/event.js';
import { result } from '../../src/domain/results/result.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

/** The fault of a server that dies at this moment. */
const DIES = new Error('the power went');

describe('retrying a result', () => {
  const stores = embeddedStores('each suite');

  /** A failed result, and the actions on it. */
  async function given() {
    const { commands, team, project_id, run_id } = await givenRun(stores.log);
    const wanted = { project_id, test_run_id: run_id, test_name: 'adds up', status: 'Passed' } as const;
    const former = await recordResult(commands, stores.log, contextOf(team), { ...wanted, status: 'Failed' });
    const retry_of = former.test_result_id;
    const streamOf = (id: string) => streamName('result', team, id);
    return {
      commands,
      team,
      streamOf,
      former: retry_of,
      retry: (by: CommandHandler = commands, context: Partial<CommandContext> = {}) =>
        recordResult(by, stores.log, contextOf(team, context), { ...wanted, retry_of }),
      /** The result that superseded it, as a node with an empty cache sees it. */
      async supersededBy() {
        const other = openCommandHandler(stores.log);
        return (await viewResult(other, team, await other.load(result, streamOf(retry_of)))).superseded_by;
      },
      typesOf: async (id: string) => (await eventsOf(stores.log, streamOf(id))).map(({ type }) => type),
      remove: (id: string) =>
        commands.execute(result, streamOf(id), contextOf(team), { type: 'DeleteResult' }),
    };
  }

  /** A log whose server dies just before it appends an event of this type. */
  function dyingBefore(type: string, meanwhile: () => Promise<unknown> = async () => undefined): EventLog {
    return {
      ...stores.log,
      async append(stream, expected, events: readonly NewEvent[]) {
        if (events.some((event) => event.type === type)) {
          await meanwhile();
          throw DIES;
        }
        return stores.log.append(stream, expected, events);
      },
    };
  }

  const died = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('the server lives'),
      (error: unknown) => expect(error).to.equal(DIES),
    );

  it('supersedes it', async () => {
    const { retry, supersededBy, former } = await given();
    const recorded = await retry();
    expect(recorded).to.include({ retry_of: former, attempt: 2, superseded_by: null });
    expect(await supersededBy()).to.equal(recorded.test_result_id);
  });

  it('is refused if it was retried already', async () => {
    const { retry, supersededBy } = await given();
    const { test_result_id } = await retry();
    await refusal(retry(), 'already_superseded');
    await refusal(
      retry(openCommandHandler(stores.log), { at: addMilliseconds(NOW, 86_400_000) }),
      'already_superseded',
    );
    expect(await supersededBy()).to.equal(test_result_id);
  });

  it('50 times at once on two nodes succeeds exactly once', async () => {
    const { retry, supersededBy, team, former, typesOf } = await given();
    const nodes = [openCommandHandler(stores.log), openCommandHandler(stores.log)];
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => retry(nodes[n % 2])));
    const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(done).to.have.length(1);
    expect(refused.filter((error) => isAppError(error, 'already_superseded'))).to.have.length(49);
    expect(await supersededBy()).to.equal(done[0]!.test_result_id);
    expect(await typesOf(former)).to.deep.equal(['ResultCreated', 'ResultRetryClaimed']);
    const filter = { streams: [`result-${team}.`], types: ['ResultCreated', 'ResultVoided'] };
    expect((await stores.log.readAll({ after: '', filter })).events).to.have.length(2);
  });

  it('restores it when the retry is deleted, and then may be done again', async () => {
    const { retry, supersededBy, remove } = await given();
    const first = await retry();
    await remove(first.test_result_id);
    expect(await supersededBy()).to.equal(null);
    const second = await retry();
    expect(await supersededBy()).to.equal(second.test_result_id);
    await refusal(retry(), 'already_superseded');
  });

  describe('on a server that dies between the claim and the result', () => {
    it('supersedes nothing', async () => {
      const { retry, supersededBy, former, typesOf } = await given();
      await died(retry(openCommandHandler(dyingBefore('ResultCreated'))));
      expect(await typesOf(former)).to.deep.equal(['ResultCreated', 'ResultRetryClaimed']);
      expect(await supersededBy()).to.equal(null);
    });

    it('blocks other retries only as long as it may still be in progress', async () => {
      const { retry, supersededBy } = await given();
      await died(retry(openCommandHandler(dyingBefore('ResultCreated'))));
      await refusal(retry(), 'already_superseded');
      await refusal(
        retry(openCommandHandler(stores.log), { at: addMilliseconds(NOW, LEASE_MS) }),
        'already_superseded',
      );
      const second = await retry(openCommandHandler(stores.log), { at: addMilliseconds(NOW, LEASE_MS + 1) });
      expect(await supersededBy()).to.equal(second.test_result_id);
    });

    it('finds its id voided if it still writes, late', async () => {
      const { retry, supersededBy, typesOf, commands } = await given();
      const ids = { ...newIds, created: () => late };
      const late = newIds.created('result');
      let second = '';
      // It sleeps for longer than its claim lasts, just before it records the result.
      const sleepy: EventLog = {
        ...stores.log,
        async append(stream, expected, events: readonly NewEvent[]) {
          if (second === '' && events.some(({ type }) => type === 'ResultCreated')) {
            second = (await retry(commands, { at: addMilliseconds(NOW, LEASE_MS + 1) })).test_result_id;
          }
          return stores.log.append(stream, expected, events);
        },
      };
      await refusal(retry(openCommandHandler(sleepy), { ids }), 'write_conflict');
      expect(await typesOf(late)).to.deep.equal(['ResultVoided']);
      expect(await supersededBy()).to.equal(second);
    });

    it('wins if it writes just before its id is voided', async () => {
      const { retry, supersededBy, typesOf } = await given();
      const first = { ids: idsFrom(newSeed()) };
      await died(retry(openCommandHandler(dyingBefore('ResultCreated')), first));
      const id = first.ids.created('result');
      const overtaken: EventLog = {
        ...stores.log,
        async append(stream, expected, events: readonly NewEvent[]) {
          const voids = events.some(({ type }) => type === 'ResultVoided');
          if (voids) await retry(openCommandHandler(stores.log), { ...first, resumed: true });
          return stores.log.append(stream, expected, events);
        },
      };
      const at = addMilliseconds(NOW, LEASE_MS + 1);
      await refusal(retry(openCommandHandler(overtaken), { at }), 'already_superseded');
      expect(await typesOf(id)).to.deep.equal(['ResultCreated']);
      expect(await supersededBy()).to.equal(id);
    });
  });

  describe('in a request that is tried again', () => {
    it('is done once, and answered as the first time', async () => {
      const { retry, former, typesOf } = await given();
      const ids = idsFrom(newSeed());
      const first = await retry(undefined, { ids });
      for (const commands of [undefined, openCommandHandler(stores.log)]) {
        expect(await retry(commands, { ids, resumed: true })).to.deep.equal(first);
      }
      expect(await typesOf(former)).to.deep.equal(['ResultCreated', 'ResultRetryClaimed']);
      expect(await typesOf(first.test_result_id)).to.deep.equal(['ResultCreated']);
    });

    it('continues at once if the first try died after the claim', async () => {
      const { retry, supersededBy, former, typesOf } = await given();
      const ids = idsFrom(newSeed());
      await died(retry(openCommandHandler(dyingBefore('ResultCreated')), { ids }));
      const { test_result_id } = await retry(openCommandHandler(stores.log), { ids, resumed: true });
      expect(await supersededBy()).to.equal(test_result_id);
      expect(await typesOf(former)).to.deep.equal(['ResultCreated', 'ResultRetryClaimed']);
    });

    it('is refused if another retry has taken over meanwhile', async () => {
      const { retry, supersededBy } = await given();
      const ids = idsFrom(newSeed());
      await died(retry(openCommandHandler(dyingBefore('ResultCreated')), { ids }));
      const other = await retry(undefined, { at: addMilliseconds(NOW, LEASE_MS + 1) });
      await refusal(retry(openCommandHandler(stores.log), { ids, resumed: true }), 'write_conflict');
      expect(await supersededBy()).to.equal(other.test_result_id);
    });
  });
});
