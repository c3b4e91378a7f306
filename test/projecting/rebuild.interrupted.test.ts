import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import type { ViewWriter } from '../../src/ports/views.js';
import type { Feed } from '../../src/log/feed.js';
import { readRebuild, requestRebuild } from '../../src/projecting/rebuild.js';
import type { Projection } from '../../src/domain/projection.js';
import { AppError } from '../../src/errors.js';
import {
  caughtUp,
  expectViewsOfLog,
  projectedRun,
  startedProjector,
  type Projector,
} from './projector-setup.js';
import { buildsOf, givenRequest, pagesOf } from './rebuild-setup.js';
import { embeddedStores, NOW, testClock } from '../stores.js';

describe('a rebuild that was interrupted', () => {
  const stores = embeddedStores('each test');
  const { name, version } = records;
  const builds = () => buildsOf(stores);
  const moved: Projection = { ...records, version: version + 1 };

  /** Runs until its n-th page, is stopped there, and runs again. Returns where each of its pages began. */
  async function interrupted(
    at: number,
    projection: Projection,
  ): Promise<{ after: string[]; again: Projector }> {
    const reached: string[] = [];
    let arrive = () => undefined as void;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let stopping: Promise<void> = Promise.resolve();
    const feed = pagesOf(stores, 4, (page, after) => {
      reached.push(after);
      if (page !== at) return;
      stopping = projector.stop();
      arrive();
    });
    const projector = startedProjector(stores, { projection, feed });
    await arrived;
    await stopping;
    expect((await builds()).map(({ build, live }) => [build, live])).to.deep.equal([
      [1, true],
      [2, false],
    ]);
    const after: string[] = [];
    const again = startedProjector(stores, {
      projection,
      feed: pagesOf(stores, 4, (_, from) => void after.push(from)),
      holder: { boot: 'a later start', alone: true },
    });
    await again.reported('rebuilt');
    expect(after[0]! >= reached.at(-1)!, 'it goes on where it was').to.equal(true);
    return { after, again };
  }

  it('continues after a restart where it was', async () => {
    await givenRequest(stores);
    const { again } = await interrupted(3, records);
    expect(again.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'rebuilt']);
    expect(await builds()).to.deep.equal([{ build: 2, version, live: true }]);
    expect((await readRebuild(stores.state, name))?.status).to.equal('done');
    await expectViewsOfLog(stores);
  });

  it('continues after a restart when it was for a new version', async () => {
    await projectedRun(stores);
    await interrupted(3, moved);
    expect(await builds()).to.deep.equal([{ build: 2, version: version + 1, live: true }]);
    await expectViewsOfLog(stores);
  });

  it('by a fault continues in the same build when it was for a new version', async () => {
    await givenRequest(stores);
    await stores.state.remove('rebuild', name, 'any');
    const after: string[] = [];
    const projector = startedProjector(stores, { projection: moved, feed: failingOnce(3, after) });
    await projector.reported('rebuilt');
    const types = ['rebuilding', 'failed', 'rebuilding', 'rebuilt'];
    expect(projector.reports.map(({ type }) => type)).to.deep.equal(types);
    expect(after[3]).to.equal(after[2]);
    expect(await builds()).to.deep.equal([{ build: 2, version: version + 1, live: true }]);
    await expectViewsOfLog(stores);
  });

  it('by an event that cannot be folded says so in its request; the live views go on, and a new request is possible', async () => {
    const { ledger, run, write } = await givenRequest(stores);
    let isBroken = true;
    const views: ViewWriter = {
      ...stores.writer,
      async commit(spec, commit) {
        if (isBroken && commit.build !== 1 && commit.changes.length > 0) throw new Error('a bug');
        return stores.writer.commit(spec, commit);
      },
    };
    const projector = startedProjector(stores, { views });
    await projector.reported('failed');
    const request = await readRebuild(stores.state, name);
    expect(request).to.include({ status: 'failed', finished_at: NOW });
    expect(request?.error).to.match(/the partitions \w are stuck at an event/);
    ledger.result(run, 'Failed');
    await write(ledger);
    await caughtUp(stores);
    await expectViewsOfLog(stores);
    expect(projector.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'stuck', 'failed']);
    isBroken = false;
    await requestRebuild(stores.state, records, NOW);
    await projector.reported('rebuilt');
    expect(await builds()).to.have.length(1);
    await expectViewsOfLog(stores);
  });

  it('by the outage of a server continues in the same build after it, and does not fail', async () => {
    await givenRequest(stores);
    const projector = startedProjector(stores, {
      feed: failingOnce(3, []),
    });
    await projector.reported('rebuilt');
    const types = ['rebuilding', 'failed', 'rebuilding', 'rebuilt'];
    expect(projector.reports.map(({ type }) => type)).to.deep.equal(types);
    expect(await readRebuild(stores.state, name)).to.include({ status: 'done', build: 2, error: null });
    await expectViewsOfLog(stores);
  });

  it('by the loss of its lease continues with the new leader, and does not fail', async () => {
    await givenRequest(stores);
    const [stale, leader] = [gate(), gate()];
    const first = startedProjector(stores, {
      holder: { boot: 'stale', alone: false },
      feed: pagesOf(stores, 4, (page) => (page === 3 ? stale.wait() : undefined)),
    });
    await stale.reached;
    const clock = testClock();
    clock.forward(60_000);
    const second = startedProjector(stores, {
      holder: { boot: 'leader', alone: false },
      clock,
      feed: pagesOf(stores, 4, (page) => (page === 2 ? leader.wait() : undefined)),
    });
    await leader.reached;
    stale.open();
    await first.reported('failed');
    expect(await readRebuild(stores.state, name)).to.include({ status: 'running', build: 2 });
    leader.open();
    await second.reported('rebuilt');
    expect(await readRebuild(stores.state, name)).to.include({ status: 'done', build: 2 });
    await expectViewsOfLog(stores);
  });

  /** A feed of small pages, whose n-th page fails the first time. It records where each of its pages began. */
  function failingOnce(at: number, after: string[]): Feed {
    return pagesOf(stores, 4, (page, from) => {
      after.push(from);
      if (page === at) throw new AppError('log_unavailable', 'The log is away.');
    });
  }
});

/** Callers of `wait` wait until it is opened. */
function gate() {
  let open = () => undefined as void;
  let arrive = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const wait = () => {
    arrive();
    return opened;
  };
  return { wait, reached, open: () => open() };
}
