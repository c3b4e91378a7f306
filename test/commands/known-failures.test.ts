import { expect } from 'chai';
import { history } from '../../projections/history/history.js';
import { testDocuments } from '../../projections/history/tests.js';
import { addMilliseconds } from '../../src/clock.js';
import { newIds } from '../../src/commands/ids.js';
import { expireKnownFailures, setKnownFailure } from '../../src/commands/known-failures.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import { startMaintenance } from '../../src/commands/maintenance.js';
import { streamName, type RecordedEvent } from '../../src/domain/event.js';
import { knownFailureStream } from '../../src/domain/known-failure.js';
import { project } from '../../src/domain/project.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { fakeIntervals } from '../concurrency/fake-intervals.js';
import { startedProjector } from '../projecting/projector-setup.js';
import { contextOf, embeddedStores, eventsOf, eventually } from '../stores.js';
import { typedViews } from '../../src/projecting/typed-views.js';

const HOUR = 3_600_000;

describe('a known failure whose time is over', () => {
  const stores = embeddedStores('each suite');
  const team = newIds.created('team');
  const now = () => stores.clock().toISOString();
  let project_id = '';
  beforeEach(async () => {
    project_id = newIds.created('project');
    const create = { type: 'CreateProject', project_id, name: 'Shop', description: null } as const;
    await openCommandHandler(stores.log).execute(
      project,
      streamName('project', team, project_id),
      contextOf(team),
      create,
    );
  });

  /** The id of the test with a new known failure that ends in this time. */
  async function given(test_name: string, ms = HOUR): Promise<string> {
    const test_id = testIdOf(project_id, test_name);
    const expires_at = addMilliseconds(now(), ms);
    const data = { test_id, project_id, test_name, reason: 'reported', branch: null, expires_at };
    await setKnownFailure(openCommandHandler(stores.log), contextOf(team, { at: now() }), data);
    return test_id;
  }

  const eventsAbout = (id: string) => eventsOf(stores.log, knownFailureStream(team, id));
  const endsOf = async (id: string): Promise<RecordedEvent[]> =>
    (await eventsAbout(id)).filter(({ type }) => type === 'KnownFailureEnded');

  /** Waits until the views of the outbox show the whole log. */
  async function caughtUp(): Promise<void> {
    const head = await stores.log.head();
    const shown = async () => (await stores.reader.position(history.name)) >= head;
    await eventually('the history has caught up', shown);
  }

  const options = (commands: CommandHandler = openCommandHandler(stores.log)) => ({
    commands,
    historyViews: stores.reader,
    clock: stores.clock,
  });
  const raise = (error: unknown) => {
    throw error;
  };
  const expire = () => expireKnownFailures(options(), new AbortController().signal, raise);

  it('ends by an event of the program, to the millisecond, once', async () => {
    const id = await given('pays');
    startedProjector(stores, { projection: history });
    await caughtUp();
    stores.clock.forward(HOUR - 1);
    await expire();
    expect(await endsOf(id)).to.deep.equal([]);
    stores.clock.forward(1);
    await Promise.all([expire(), expire(), expire()]);
    await expire();
    const [end, ...more] = await endsOf(id);
    expect(more).to.deep.equal([]);
    expect(end!.data).to.deep.equal({ test_id: id, project_id, test_name: 'pays', ended: 'expired' });
    expect(end!.meta).to.include({ actor: 'system', at: now(), team_id: team });
    await caughtUp();
    const [shown] = await typedViews(stores.reader, history).get(testDocuments, [id]);
    expect(shown).to.include({ known_failure: null });
    const found = await stores.reader.find(history, 'known_failures', {
      where: { in_force: true },
      sort: { field: 'expires_at', direction: 'ascending' },
      limit: 10,
    });
    expect(found.items).to.deep.equal([]);
  });

  it('stays if it was replaced meanwhile, though the views do not show that yet', async () => {
    const id = await given('pays');
    const projector = startedProjector(stores, { projection: history });
    await caughtUp();
    await projector.stop();
    stores.clock.forward(HOUR);
    await given('pays', HOUR);
    await expire();
    expect(await endsOf(id)).to.deep.equal([]);
  });

  it('ends with all others in one round, however many there are, and whatever one of them meets', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await given(`test ${n}`));
    const later = await given('later', 2 * HOUR);
    startedProjector(stores, { projection: history });
    await caughtUp();
    stores.clock.forward(HOUR);
    const fault = new Error('this stream is broken');
    const commands = openCommandHandler(stores.log);
    const execute: CommandHandler['execute'] = (decider, stream, ...call) =>
      stream.endsWith(ids[50]!) ? Promise.reject(fault) : commands.execute(decider, stream, ...call);
    const reported: unknown[] = [];
    await expireKnownFailures(
      options({ ...commands, execute }),
      new AbortController().signal,
      (error) => void reported.push(error),
    );
    expect(reported).to.deep.equal([fault]);
    const ends = await Promise.all(ids.map(endsOf));
    expect(ends.filter(({ length }) => length === 1)).to.have.length(119);
    expect(await endsOf(later)).to.deep.equal([]);
  });

  describe('in the rounds of maintenance', () => {
    const intervals = fakeIntervals();

    it('is looked for in each round, also if idle runs are not completed', async () => {
      const id = await given('pays');
      startedProjector(stores, { projection: history });
      await caughtUp();
      stores.clock.forward(HOUR);
      const unused = { views: stores.reader, spec: history, freshness: async () => 0 };
      const stop = startMaintenance({
        ...options(),
        ...unused,
        state: stores.state,
        runIdle: 'off',
        report: raise,
      });
      intervals.fire();
      await eventually('it has ended', async () => (await endsOf(id)).length === 1);
      await stop();
    });
  });
});
