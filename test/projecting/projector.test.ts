import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { ordinalAt } from '../../src/domain/event.js';
import { openFoldFeed } from '../../src/log/feed.js';
import { hasEvent } from '../../src/log/has-event.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { Build, Commit, ViewWriter } from '../../src/ports/views.js';
import type { State } from '../../src/ports/state.js';
import { isAppError, AppError } from '../../src/errors.js';
import {
  caughtUp,
  expectViewsOfLog,
  feedWith,
  runInMemory,
  projectedRun,
  startedProjector,
  writer,
} from './projector-setup.js';
import { chunkEvents } from '../domain/item-chunks.js';
import { submittedItems } from '../domain/submission.js';
import { embeddedStores, eventually, testClock } from '../stores.js';

describe('a projector', () => {
  const stores = embeddedStores('each test');
  const live = async (): Promise<Build> =>
    (await stores.writer.builds(records.name)).find((build) => build.live) ?? expect.fail('nothing is live');

  it('folds the events in the log, and then those that come', async () => {
    const { ledger, run } = runInMemory();
    const write = writer(stores.log);
    await write(ledger);
    startedProjector(stores);
    await caughtUp(stores);
    await expectViewsOfLog(stores);
    for (const status of ['Failed', 'Passed'] as const) {
      ledger.result(run, status);
      await write(ledger);
      await caughtUp(stores);
      await expectViewsOfLog(stores);
    }
  });

  it('continues where it stopped', async () => {
    const { ledger, run, write } = await projectedRun(stores);
    const { position } = await live();
    ledger.result(run, 'Failed');
    await write(ledger);
    const begun: string[] = [];
    const feed = feedWith(openFoldFeed(stores.log), { beforeBatch: (after) => void begun.push(after) });
    startedProjector(stores, { feed });
    await caughtUp(stores);
    expect(begun).to.deep.equal([position]);
    await expectViewsOfLog(stores);
  });

  it('skips items whose run is missing, and folds the events after them', async () => {
    const { ledger, run } = runInMemory();
    const write = writer(stores.log);
    await write(ledger);
    const stream = `items-${run.team}.${run.id}`;
    const loose = submittedItems({ run_id: run.id, project_id: run.project }, [{}]);
    const { position } = await stores.log.append(
      stream,
      'none',
      chunkEvents(stream, loose, ledger.events[0]!.meta),
    );
    startedProjector(stores);
    await caughtUp(stores);
    expect((await live()).position >= position).to.equal(true);
    expect(await stores.reader.get(records, 'results', [loose[0]!.result_id])).to.deep.equal([null]);
    await expectViewsOfLog(stores);
  });

  it('releases its lease when it is stopped, and commits nothing after that', async () => {
    const { ledger } = runInMemory();
    const { stop } = startedProjector(stores);
    await eventually('it has the lease', async () => (await stores.state.get('lease', 'records')) !== null);
    await stop();
    await writer(stores.log)(ledger);
    const second = startedProjector(stores, { holder: { boot: 'other', alone: false } });
    await caughtUp(stores);
    expect(second.reports).to.deep.equal([]);
    expect((await live()).epoch).to.equal(2);
  });

  describe('after a fault', () => {
    const fault = new AppError('views_unavailable', 'The disk is full.');

    /** Views whose commits with these numbers fail. The first commit of documents is number 1. */
    function failingAt(fails: (n: number) => boolean): ViewWriter {
      let commits = 0;
      return {
        ...stores.writer,
        async commit(spec, commit) {
          if (commit.changes.length > 0 && fails((commits += 1))) throw fault;
          return stores.writer.commit(spec, commit);
        },
      };
    }

    it('reports it, tries again after pauses that grow, and loses nothing', async () => {
      const { ledger } = runInMemory();
      await writer(stores.log)(ledger);
      const { reports } = startedProjector(stores, { views: failingAt((n) => n <= 3) });
      await caughtUp(stores);
      expect(reports).to.deep.equal(
        [100, 200, 400].map((retryInMs) => ({ type: 'failed', error: fault, retryInMs })),
      );
      await expectViewsOfLog(stores);
    });

    it('continues as soon as the stores are back: a lease that it could not release is still its own', async () => {
      const { ledger, run } = runInMemory();
      const write = writer(stores.log);
      await write(ledger);
      let away = false;
      const { commit } = stores.writer;
      const { put, get } = stores.state;
      const gone = () => Promise.reject(fault);
      const { reports, reported } = startedProjector(stores, {
        views: { ...stores.writer, commit: (...call) => (away ? gone() : commit(...call)) },
        state: {
          ...stores.state,
          put: (...call) => (away ? gone() : put(...call)),
          get: (...call) => (away ? gone() : get(...call)),
        },
      });
      await caughtUp(stores);
      away = true;
      ledger.result(run, 'Failed');
      await write(ledger);
      await reported('failed', 3);
      // The clock stands still, so no lease expires.
      away = false;
      await caughtUp(stores);
      expect(reports.map(({ type }) => type)).not.to.include('rebuilding');
    });

    it('tries again soon when the fault before it was long ago', async () => {
      const { ledger, run } = runInMemory();
      const write = writer(stores.log);
      await write(ledger);
      const { reports, reported } = startedProjector(stores, { views: failingAt((n) => n <= 2 || n === 4) });
      await caughtUp(stores);
      stores.clock.forward(3_600_000);
      ledger.result(run, 'Failed');
      await write(ledger);
      await reported('failed', 3);
      await caughtUp(stores);
      expect(reports.map((report) => report.type === 'failed' && report.retryInMs)).to.deep.equal([
        100, 200, 100,
      ]);
      await expectViewsOfLog(stores);
    });

    it('survives a fault of State too', async () => {
      const { ledger } = runInMemory();
      await writer(stores.log)(ledger);
      let faults = 0;
      const state: State = {
        ...stores.state,
        async get(...call) {
          if ((faults += 1) <= 2) throw fault;
          return stores.state.get(...call);
        },
      };
      const { reports } = startedProjector(stores, { state });
      await caughtUp(stores);
      expect(reports.map(({ type }) => type)).to.deep.equal(['failed', 'failed']);
    });
  });

  it('folds nothing into views that are ahead of the log, and names the remedy', async () => {
    const { ledger } = runInMemory();
    await writer(stores.log)(ledger);
    const ahead = String(1_000).padStart(20, '0');
    await stores.writer.prepare(records, 1);
    await stores.writer.commit(records, { build: 1, epoch: 0, from: '', to: ahead, changes: [] });
    const { reports, reported } = startedProjector(stores);
    await reported('failed', 2);
    for (const report of reports)
      expect(String(report.type === 'failed' && report.error)).to.include('delete the read models');
    expect(await live()).to.include({ position: ahead, epoch: 0 });
  });

  it('folds nothing into views whose last event the log does not have, although it has grown beyond them', async () => {
    const { ledger, write } = await projectedRun(stores);
    const { position, epoch, lastEvent } = await live();
    expect(await hasEvent(stores.log, lastEvent!)).to.equal(true);
    for (let n = 0; n < 3; n += 1) ledger.team();
    await write(ledger);
    const restored: EventLog = {
      ...stores.log,
      async readAll(options) {
        const page = await stores.log.readAll(options);
        const events = page.events.map((event) => ({ ...event, id: `${event.id.slice(0, -1)}x` }));
        return { ...page, events };
      },
    };
    const { reports, reported } = startedProjector(stores, { feed: openFoldFeed(restored) });
    await reported('failed', 2);
    for (const report of reports)
      expect(String(report.type === 'failed' && report.error)).to.include('not of this log');
    expect(await live()).to.include({ position, epoch });
  });

  it('names in each commit an event that the log has, also where the commit ends with an item of a submission', async () => {
    const { ledger } = runInMemory();
    await writer(stores.log)(ledger);
    const commits: Commit[] = [];
    const views: ViewWriter = {
      ...stores.writer,
      commit(spec, commit) {
        commits.push(commit);
        return stores.writer.commit(spec, commit);
      },
    };
    startedProjector(stores, { views, limit: 2 });
    await caughtUp(stores);
    expect(commits.filter(({ to }) => ordinalAt(to) !== null)).not.to.have.length(0);
    const named = commits.flatMap(({ lastEvent }) => (lastEvent === undefined ? [] : [lastEvent]));
    expect(named).not.to.have.length(0);
    for (const event of named) expect(await hasEvent(stores.log, event)).to.equal(true);
    expect((await live()).lastEvent).to.deep.equal(named.at(-1));
  });

  it('leads at its first try when State was lost, or restored from a time before the views', async () => {
    const { ledger } = runInMemory();
    await writer(stores.log)(ledger);
    await stores.writer.prepare(records, 1);
    await stores.writer.commit(records, { build: 1, epoch: 40, from: '', to: '', changes: [] });
    const { reports } = startedProjector(stores);
    await caughtUp(stores);
    expect(reports).to.deep.equal([]);
    expect((await live()).epoch).to.equal(41);
    await expectViewsOfLog(stores);
  });

  describe('of two', () => {
    it('one folds, and the other takes over when the first stops', async () => {
      const { ledger, run } = runInMemory();
      const write = writer(stores.log);
      const folding: string[] = [];
      const start = (boot: string) =>
        startedProjector(stores, {
          holder: { boot, alone: false },
          feed: feedWith(openFoldFeed(stores.log), { beforeBatch: () => void folding.push(boot) }),
        });
      const first = start('one');
      await eventually('the first folds', () => folding.length > 0);
      const asked = await stores.state.get('lease', 'records');
      const second = start('other');
      await write(ledger);
      await caughtUp(stores);
      expect(folding).to.deep.equal(['one']);
      expect((await stores.state.get('lease', 'records'))?.version).to.equal(asked?.version);
      await first.stop();
      ledger.result(run, 'Failed');
      await write(ledger);
      await caughtUp(stores);
      expect(folding).to.deep.equal(['one', 'other']);
      expect((await live()).epoch).to.equal(2);
      expect([...first.reports, ...second.reports]).to.deep.equal([]);
      await expectViewsOfLog(stores);
    });

    it('a projector that lost the lease without noticing can write nothing', async () => {
      const { ledger, run } = runInMemory();
      const write = writer(stores.log);
      await write(ledger);
      const stale = startedProjector(stores, { holder: { boot: 'stale', alone: false } });
      await caughtUp(stores);
      // The clock of the stale projector stands still, while a minute passes for the other one.
      const clock = testClock();
      clock.forward(60_000);
      const leader = startedProjector(stores, { holder: { boot: 'leader', alone: false }, clock });
      await eventually('the new one leads', async () => (await live()).epoch === 2);
      ledger.result(run, 'Failed');
      await write(ledger);
      await stale.reported('failed');
      const [report] = stale.reports;
      expect(report?.type === 'failed' && isAppError(report.error, 'fenced')).to.equal(true);
      await caughtUp(stores);
      expect(leader.reports).to.deep.equal([]);
      expect((await live()).epoch).to.equal(2);
      await expectViewsOfLog(stores);
    });

    it('the projector that folds keeps its lease while it runs, even if State fails for a moment', async () => {
      const leaseOf = (name: string) => stores.state.get<{ until: string }>('lease', name);
      const away = new Error('State is away');
      let failures = 0;
      const failing: State = {
        ...stores.state,
        async put(kind, key, value, options) {
          if (kind !== 'lease' || options.expected === 'absent')
            return stores.state.put(kind, key, value, options);
          failures += 1;
          throw away;
        },
      };
      // At the same time, because each waits for a third of the lease.
      const sound = startedProjector(stores);
      const other = { ...records, name: 'other' };
      const unlucky = startedProjector(stores, { projection: other, state: failing });
      await eventually(
        'both lead',
        async () => (await leaseOf('records')) !== null && (await leaseOf('other')) !== null,
      );
      const before = (await leaseOf('records'))!.value.until;
      stores.clock.forward(5_000);
      await eventually('one is renewed', async () => (await leaseOf('records'))!.value.until > before);
      await eventually('the other could not be', () => failures > 0);
      const { ledger } = runInMemory();
      await writer(stores.log)(ledger);
      const head = await stores.log.head();
      for (const name of ['records', 'other']) {
        await eventually(`${name} goes on`, async () => (await stores.reader.position(name)) >= head);
      }
      expect(sound.reports).to.deep.equal([]);
      expect(unlucky.reports.map((report) => report.type === 'failed' && report.error)).to.deep.equal([away]);
    });
  });
});
