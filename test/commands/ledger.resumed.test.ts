import { expect } from 'chai';
import { idsFrom, newIds, newSeed } from '../../src/commands/ids.js';
import { openLedger } from '../../src/commands/ledger.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { run, type RunCommand } from '../../src/domain/runs/run.js';
import { fail, LedgerError } from '../../src/errors.js';
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
    const { state } = await openLedger(stores.log).execute(run, runStream, first, complete);
    for (const ledger of [openLedger(stores.log), openLedger(stores.log)]) {
      const executed = await ledger.execute(run, runStream, again, complete);
      expect(executed).to.deep.equal({ state, appended: null });
    }
    expect(await eventsOf(stores.log, runStream)).to.have.length(3);
  });

  it('answers as the first time, whatever has happened since', async () => {
    const { ledger, team, runStream, first, again } = await givenTries();
    const { state } = await ledger.execute(run, runStream, first, complete);
    const later = { type: 'UpdateRun', status: 'Running', label: 'daily', at: NOW } as const;
    await ledger.execute(run, runStream, contextOf(team), later);
    expect((await ledger.execute(run, runStream, again, complete)).state).to.deep.equal(state);
    expect(await ledger.answered(run, runStream, again)).to.deep.equal(state);
    expect(await ledger.load(run, runStream)).to.include({ label: 'daily', status: 'Running' });
  });

  it('looks for earlier events before it checks anything: what is written stays', async () => {
    const { ledger, runStream, first, again } = await givenTries();
    const { state } = await ledger.execute(run, runStream, first, complete);
    const forbidden = async (): Promise<RunCommand> => fail('project_inactive', 'It takes none any more.');
    expect((await ledger.execute(run, runStream, again, forbidden)).state).to.deep.equal(state);
  });

  it('goes ahead if the first try wrote nothing', async () => {
    const { ledger, runStream, again } = await givenTries();
    expect(await ledger.answered(run, runStream, again)).to.equal(null);
    const { state, appended } = await ledger.execute(run, runStream, again, complete);
    expect(state).to.include({ completions: 1 });
    expect(appended?.revision).to.equal(2);
  });

  it('finds the events of an append whose outcome was unknown', async () => {
    const { runStream, first, again } = await givenTries();
    const unsure: EventLog = {
      ...stores.log,
      async append(...call) {
        await stores.log.append(...call);
        throw new LedgerError('log_unavailable', 'The connection was lost.');
      },
    };
    await refusal(openLedger(unsure).execute(run, runStream, first, complete), 'log_unavailable');
    const { state, appended } = await openLedger(stores.log).execute(run, runStream, again, complete);
    expect(appended).to.equal(null);
    expect(state).to.include({ completions: 1, label: 'weekly' });
  });

  it('finds its events far down a long stream', async () => {
    const { ledger, run_id, project_id, runStream, first, again } = await givenTries();
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
    const { state } = await ledger.execute(run, runStream, first, complete);
    await stores.log.append(runStream, 1_000, many(1_500));
    const executed = await openLedger(stores.log).execute(run, runStream, again, complete);
    expect(executed).to.deep.equal({ state, appended: null });
    expect(state).to.include({ label: 'weekly', status: 'Completed' });
  });

  it('is done once if several tries run at the same time', async () => {
    const { runStream, first, again } = await givenTries();
    const nodes = Array.from({ length: 6 }, () => openLedger(stores.log));
    const executed = await Promise.all(
      nodes.map((node, n) => node.execute(run, runStream, n === 0 ? first : again, complete)),
    );
    for (const { state } of executed) expect(state).to.include({ completions: 1 });
    expect(await eventsOf(stores.log, runStream)).to.have.length(3);
  });

  for (const others of ['no other write', 'another write']) {
    it(`is done once, at whatever moment the earlier try writes, with ${others} before it`, async () => {
      for (let moment = 0, met = true; met; moment += 1) {
        const { ledger, team, runStream, first, again } = await givenTries();
        const write = async () => {
          const describe = { type: 'UpdateRun', label: 'daily', at: NOW } as const;
          if (others === 'another write') await ledger.execute(run, runStream, contextOf(team), describe);
          await ledger.execute(run, runStream, first, complete);
        };
        const { log, calls } = interrupted(stores.log, moment, write);
        const { state } = await openLedger(log).execute(run, runStream, again, complete);
        expect(state, `at call ${moment}`).to.include({ completions: 1 });
        met = calls() > moment;
        expect(await ledger.load(run, runStream), `at call ${moment}`).to.include({ completions: 1 });
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
