import { expect } from 'chai';
import { idsFrom, newIds, newSeed } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { run, type RunCommand } from '../../src/domain/runs/run.js';
import { fail, AppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('a command that is tried again', () => {
  const stores = embeddedStores('each suite');
  const complete = { type: 'UpdateRun', status: 'Completed', at: NOW, label: 'weekly' } as const;

  /** A run, and two tries of one request on it. */
  async function givenTries() {
    const given = await givenRun(stores.log);
    const ids = idsFrom(newSeed());
    const first = contextOf(given.team, { ids, takenOver: () => Promise.resolve(true) });
    return { ...given, first, again: { ...first, resumed: true } };
  }

  it('finds the events of the first try, and appends nothing', async () => {
    const { runStream, first, again } = await givenTries();
    const { state } = await openCommandHandler(stores.log).execute(run, runStream, first, complete);
    for (const commands of [openCommandHandler(stores.log), openCommandHandler(stores.log)]) {
      const executed = await commands.execute(run, runStream, again, complete);
      expect(executed).to.deep.equal({ state, appended: null });
    }
    expect(await eventsOf(stores.log, runStream)).to.have.length(3);
  });

  it('answers as the first time, whatever has happened since', async () => {
    const { commands, team, runStream, first, again } = await givenTries();
    const { state } = await commands.execute(run, runStream, first, complete);
    const later = { type: 'UpdateRun', status: 'Running', label: 'daily', at: NOW } as const;
    await commands.execute(run, runStream, contextOf(team), later);
    expect((await commands.execute(run, runStream, again, complete)).state).to.deep.equal(state);
    expect(await commands.answered(run, runStream, again)).to.deep.equal(state);
    expect(await commands.load(run, runStream)).to.include({ label: 'daily', status: 'Running' });
  });

  it('looks for earlier events before it checks anything: what is written stays', async () => {
    const { commands, runStream, first, again } = await givenTries();
    const { state } = await commands.execute(run, runStream, first, complete);
    const forbidden = async (): Promise<RunCommand> => fail('project_inactive', 'It takes none any more.');
    expect((await commands.execute(run, runStream, again, forbidden)).state).to.deep.equal(state);
  });

  it('goes ahead if the first try wrote nothing', async () => {
    const { commands, runStream, again } = await givenTries();
    expect(await commands.answered(run, runStream, again)).to.equal(null);
    const { state, appended } = await commands.execute(run, runStream, again, complete);
    expect(state).to.include({ completions: 1 });
    expect(appended?.revision).to.equal(2);
  });

  it('finds the events of an append whose outcome was unknown', async () => {
    const { runStream, first, again } = await givenTries();
    const unsure: EventLog = {
      ...stores.log,
      async append(...call) {
        await stores.log.append(...call);
        throw new AppError('log_unavailable', 'The connection was lost.');
      },
    };
    await refusal(openCommandHandler(unsure).execute(run, runStream, first, complete), 'log_unavailable');
    const { state, appended } = await openCommandHandler(stores.log).execute(run, runStream, again, complete);
    expect(appended).to.equal(null);
    expect(state).to.include({ completions: 1, label: 'weekly' });
  });

  it('finds its events far down a long stream', async () => {
    const { commands, run_id, project_id, runStream, first, again } = await givenTries();
    const [created] = await eventsOf(stores.log, runStream);
    const described = (n: number) => ({
      id: newIds.event('', 0),
      type: 'RunDescribed',
      version: 1,
      data: { run_id, project_id, label: `label ${n}` },
      meta: created!.meta,
    });
    const many = (count: number) => Array.from({ length: count }, (_, n) => described(n));
    // The end of the first page lies between its two events.
    await stores.log.append(runStream, 0, many(998));
    const { state } = await commands.execute(run, runStream, first, complete);
    await stores.log.append(runStream, 1_000, many(1_500));
    const executed = await openCommandHandler(stores.log).execute(run, runStream, again, complete);
    expect(executed).to.deep.equal({ state, appended: null });
    expect(state).to.include({ label: 'weekly', status: 'Completed' });
  });

  it('is done once if several tries run at the same time', async () => {
    const { runStream, first, again } = await givenTries();
    const nodes = Array.from({ length: 6 }, () => openCommandHandler(stores.log));
    const executed = await Promise.all(
      nodes.map((node, n) => node.execute(run, runStream, n === 0 ? first : again, complete)),
    );
    for (const { state } of executed) expect(state).to.include({ completions: 1 });
    expect(await eventsOf(stores.log, runStream)).to.have.length(3);
  });

  for (const others of ['no other write', 'another write']) {
    it(`is done once, at whatever moment the earlier try writes, with ${others} before it`, async () => {
      for (let moment = 0, met = true; met; moment += 1) {
        const { commands, team, runStream, first, again } = await givenTries();
        const write = async () => {
          const describe = { type: 'UpdateRun', label: 'daily', at: NOW } as const;
          if (others === 'another write') await commands.execute(run, runStream, contextOf(team), describe);
          await commands.execute(run, runStream, first, complete);
        };
        const { log, calls } = interrupted(stores.log, moment, write);
        const { state } = await openCommandHandler(log).execute(run, runStream, again, complete);
        expect(state, `at call ${moment}`).to.include({ completions: 1 });
        met = calls() > moment;
        expect(await commands.load(run, runStream), `at call ${moment}`).to.include({ completions: 1 });
      }
    });
  }
});

/** A log that runs `happen` before its n-th call. */
function interrupted(log: EventLog, moment: number, happen: () => Promise<void>) {
  let calls = 0;
  const before = async () => {
    calls += 1;
    if (calls - 1 === moment) await happen();
  };
  const interrupting: EventLog = {
    ...log,
    async append(...call) {
      await before();
      return log.append(...call);
    },
    async readStream(...call) {
      await before();
      return log.readStream(...call);
    },
  };
  return { log: interrupting, calls: () => calls };
}
