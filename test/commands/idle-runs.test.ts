import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { addMilliseconds } from '../../src/clock.js';
import { openFreshness, type Freshness } from '../../src/projecting/freshness.js';
import { completeIdleRuns } from '../../src/commands/idle-runs.js';
import { startMaintenance } from '../../src/commands/maintenance.js';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import { streamName } from '../../src/domain/event.js';
import { run, type RunStatus } from '../../src/domain/runs/run.js';
import { newResult } from '../domain/results/facts.js';
import { fakeIntervals } from '../concurrency/fake-intervals.js';
import { caughtUp, startedProjector } from '../projecting/projector-setup.js';
import { contextOf, embeddedStores, eventsOf, eventually } from '../stores.js';

const HOUR = 3_600_000;

describe('a run that its client never ends', () => {
  const stores = embeddedStores('each test');
  const team = 'team_1';
  const now = () => stores.clock().toISOString();

  /** Creates a run and gives it these statuses, now. */
  async function given(...statuses: RunStatus[]): Promise<string> {
    const commands = openCommandHandler(stores.log);
    const run_id = newIds.created('run');
    const create = {
      type: 'CreateRun',
      run_id,
      project_id: 'project_1',
      label: null,
      metadata: null,
    } as const;
    const stream = streamName('run', team, run_id);
    await commands.execute(run, stream, contextOf(team, { at: now() }), create);
    for (const status of statuses) await setStatus(run_id, status);
    return run_id;
  }

  async function setStatus(run_id: string, status: RunStatus): Promise<void> {
    const command = { type: 'UpdateRun', status, at: now() } as const;
    const stream = streamName('run', team, run_id);
    await openCommandHandler(stores.log).execute(run, stream, contextOf(team, { at: now() }), command);
  }

  const stateOf = (run_id: string) =>
    openCommandHandler(stores.log).load(run, streamName('run', team, run_id));

  function optionsWith(freshness: Freshness = fresh()) {
    const { reader: views, clock } = stores;
    return {
      commands: openCommandHandler(stores.log),
      views,
      historyViews: views,
      spec: records,
      freshness,
      clock,
    };
  }

  const fresh = () =>
    openFreshness({
      log: stores.log,
      views: stores.reader,
      projection: records.name,
      clock: stores.clock,
    });

  /** Completes the runs that have been idle for an hour. */
  const complete = (freshness?: Freshness) =>
    completeIdleRuns(optionsWith(freshness), addMilliseconds(now(), -HOUR));

  /** The same, after the views have caught up. */
  async function catchUpAndComplete(): Promise<void> {
    await caughtUp(stores);
    await complete();
  }

  it('is completed by the server, as idle', async () => {
    const run_id = await given('Running');
    startedProjector(stores);
    stores.clock.forward(HOUR);
    await catchUpAndComplete();
    expect(await stateOf(run_id)).to.include({ status: 'Completed', finished_at: now(), completions: 1 });
    const last = (await eventsOf(stores.log, streamName('run', team, run_id))).at(-1);
    expect(last?.data).to.include({ reason: 'idle' });
    expect(last?.meta).to.include({ actor: 'system', at: now(), team_id: team });
  });

  it('is not completed before it is idle, to the millisecond', async () => {
    const run_id = await given('Running');
    startedProjector(stores);
    stores.clock.forward(HOUR - 1);
    await catchUpAndComplete();
    expect(await stateOf(run_id)).to.include({ status: 'Running' });
    stores.clock.forward(1);
    await catchUpAndComplete();
    expect(await stateOf(run_id)).to.include({ status: 'Completed' });
  });

  it('stays open after any event in it, even if the views learn of the event only during the round', async () => {
    const run_id = await given('Running');
    const projector = startedProjector(stores);
    await caughtUp(stores);
    await projector.stop();
    stores.clock.forward(HOUR - 1);
    const result_id = newIds.created('result');
    const meta = { team_id: team, actor: 'key_1', at: now(), correlation_id: 'request', causation_id: null };
    const data = newResult({ result_id, project_id: 'project_1', run_id });
    const event = { id: newIds.event('', 0), type: 'ResultCreated', version: 1, data, meta };
    await stores.log.append(streamName('result', team, result_id), 'none', [event]);
    stores.clock.forward(1);
    // The views still show the run as idle when the round begins.
    const freshness: Freshness = async (of) => {
      startedProjector(stores);
      return fresh()(of);
    };
    await complete(freshness);
    expect(await stateOf(run_id)).to.include({ status: 'Running' });
  });

  it('is left for the next round if the views are behind', async () => {
    const run_id = await given('Running');
    startedProjector(stores);
    await caughtUp(stores);
    stores.clock.forward(HOUR);
    await complete(async () => 5);
    expect(await stateOf(run_id)).to.include({ status: 'Running' });
    await complete();
    expect(await stateOf(run_id)).to.include({ status: 'Completed' });
  });

  it('is completed with all others in one round, however many there are', async () => {
    const meta = { team_id: team, actor: 'key_1', at: now(), correlation_id: 'request', causation_id: null };
    const runs = Array.from({ length: 120 }, () => newIds.created('run'));
    const appends = runs.map((run_id) => {
      const ids = { run_id, project_id: 'project_1' };
      const facts = [
        { type: 'RunCreated', data: { ...ids, run_key: null, label: null, metadata: null, items: 0 } },
        { type: 'RunStarted', data: { ...ids, started_at: now() } },
      ].map((fact) => ({ ...fact, id: newIds.event('', 0), version: 1, meta }));
      return stores.log.append(streamName('run', team, run_id), 'none', facts);
    });
    await Promise.all(appends);
    startedProjector(stores);
    await caughtUp(stores);
    stores.clock.forward(HOUR);
    await complete();
    const filter = { types: ['RunCompleted'] };
    expect((await stores.log.readAll({ after: '', filter, limit: 1_000 })).events).to.have.length(
      runs.length,
    );
  });

  it('does not delay the others if it cannot be completed', async () => {
    const runs = [await given('Running'), await given('Running'), await given('Running')];
    startedProjector(stores);
    await caughtUp(stores);
    stores.clock.forward(HOUR);
    const fault = new Error('this stream is broken');
    const { commands, ...rest } = optionsWith();
    const execute: CommandHandler['execute'] = (decider, stream, ...call) =>
      stream.endsWith(runs[0]!) ? Promise.reject(fault) : commands.execute(decider, stream, ...call);
    const reported: unknown[] = [];
    const options = { ...rest, commands: { ...commands, execute } };
    await completeIdleRuns(
      options,
      addMilliseconds(now(), -HOUR),
      undefined,
      (error) => void reported.push(error),
    );
    expect(reported).to.deep.equal([fault]);
    const states = await Promise.all(runs.map(stateOf));
    expect(states.map((state) => state.life === 'present' && state.status)).to.deep.equal([
      'Running',
      'Completed',
      'Completed',
    ]);
  });

  describe('in the rounds of maintenance', () => {
    const intervals = fakeIntervals();

    it('is looked for in each round; a round that fails is reported, and the rounds go on', async () => {
      const run_id = await given('Running');
      startedProjector(stores);
      await caughtUp(stores);
      // The projector uses one interval for its lease.
      const others = intervals.size;
      const reported: unknown[] = [];
      const fault = new Error('State is away');
      let purges = 0;
      const state = {
        ...stores.state,
        purge: async () => {
          if ((purges += 1) === 1) throw fault;
          return 0;
        },
      };
      const report = (error: unknown) => void reported.push(error);
      const stop = startMaintenance({ ...optionsWith(), state, runIdle: HOUR, report });
      intervals.fire();
      await eventually('a round has failed', () => reported.length > 0);
      expect(reported).to.deep.equal([fault]);
      expect(await stateOf(run_id)).to.include({ status: 'Running' });
      stores.clock.forward(HOUR);
      intervals.fire();
      await eventually('a round has gone well', () => purges === 2);
      expect(await stateOf(run_id)).to.include({ status: 'Completed' });
      await stop();
      expect(intervals.size).to.equal(others);
    });

    it('is looked for in one round at a time', async () => {
      let rounds = 0;
      let end = () => undefined as void;
      const state = {
        ...stores.state,
        purge: async () => {
          rounds += 1;
          await new Promise<void>((resolve) => (end = resolve));
          return 0;
        },
      };
      const report = (error: unknown) => expect.fail(String(error));
      const stop = startMaintenance({ ...optionsWith(), state, runIdle: 'off', report });
      intervals.fire();
      await eventually('a round is under way', () => rounds === 1);
      intervals.fire();
      end();
      await eventually('another may begin', () => {
        intervals.fire();
        return rounds === 2;
      });
      const stopped = stop();
      end();
      await stopped;
      expect(rounds).to.equal(2);
    });

    it('is never completed if that is switched off; expired entries of State are purged all the same', async () => {
      const run_id = await given('Running');
      startedProjector(stores);
      await caughtUp(stores);
      for (let n = 0; n < 150; n += 1) {
        await stores.state.put('kept', `key ${n}`, n, { expected: 'absent', expiresAt: now() });
      }
      stores.clock.forward(1_000 * HOUR);
      const report = (error: unknown) => expect.fail(String(error));
      const stop = startMaintenance({ ...optionsWith(), state: stores.state, runIdle: 'off', report });
      intervals.fire();
      await eventually('all is forgotten', async () => (await stores.state.purge(now(), 1)) === 0);
      await stop();
      expect(await stateOf(run_id)).to.include({ status: 'Running' });
    });
  });
});
