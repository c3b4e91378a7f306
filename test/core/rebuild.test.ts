import { expect } from 'chai';
import { ledgerViews } from '../../projections/index.js';
import { openFeed, type Feed } from '../../src/core/feed.js';
import { readRebuild, requestRebuild } from '../../src/core/rebuild.js';
import { LedgerError } from '../../src/errors.js';
import type { Projection } from '../../src/domain/projection.js';
import {
  caughtUp,
  expectViewsOfLog,
  feedWith,
  playedRun,
  startedProjector,
  wholeLog,
  writer,
  type Projector,
} from './projecting.js';
import { embeddedStores, eventually, NOW, testClock } from './stores.js';

describe('a rebuild', () => {
  const stores = embeddedStores('each test');
  const name = ledgerViews.name;
  const builds = async () =>
    (await stores.writer.builds(name)).map(({ build, version, live }) => ({ build, version, live }));
  const version = ledgerViews.version;

  /** Live views of a run, and a request to rebuild them that nobody has taken up yet. */
  async function givenRequest() {
    const { play, run } = playedRun();
    const write = writer(stores.log);
    await write(play);
    const first = startedProjector(stores);
    await caughtUp(stores);
    await first.stop();
    await requestRebuild(stores.state, name, NOW);
    return { play, run, write };
  }

  /** A feed of small pages; something happens before the n-th of them. */
  function pagesOf(limit: number, happen: (page: number, after: string) => Promise<void> | void): Feed {
    let pages = 0;
    const beforePage = async (after: string) => {
      pages += 1;
      await happen(pages, after);
    };
    return feedWith(openFeed(stores.log), { beforePage, limit });
  }

  it('that was asked for gives the same documents byte for byte, and then goes live', async () => {
    const { play, run, write } = await givenRequest();
    const projector = startedProjector(stores);
    await projector.reported('rebuilt');
    await expectViewsOfLog(stores);
    expect(await builds()).to.deep.equal([{ build: 2, version, live: true }]);
    const { length } = await wholeLog(stores.log);
    const done = {
      status: 'done',
      build: 2,
      events: length,
      requested_at: NOW,
      finished_at: NOW,
      error: null,
    };
    expect(await readRebuild(stores.state, name)).to.deep.equal(done);
    expect(projector.reports).to.deep.equal([
      { type: 'rebuilding', build: 2 },
      { type: 'rebuilt', build: 2 },
    ]);
    play.result(run, 'Failed');
    await write(play);
    await caughtUp(stores);
    await expectViewsOfLog(stores);
  });

  it('is taken up by a projector that runs already', async () => {
    const { play } = playedRun();
    await writer(stores.log)(play);
    const projector = startedProjector(stores);
    await caughtUp(stores);
    await requestRebuild(stores.state, name, NOW);
    await projector.reported('rebuilt');
    await expectViewsOfLog(stores);
    expect((await readRebuild(stores.state, name))?.status).to.equal('done');
  });

  it('may be asked for again and again, of an empty log too', async () => {
    for (let build = 2; build <= 4; build += 1) {
      await requestRebuild(stores.state, name, NOW);
      const projector = startedProjector(stores);
      await projector.reported('rebuilt');
      await projector.stop();
    }
    expect(await builds()).to.have.length(1);
    expect((await readRebuild(stores.state, name))?.status).to.equal('done');
  });

  describe('while events go on', () => {
    it('has them all, and those who read see each of them at once', async () => {
      const { play, run, write } = await givenRequest();
      const seen: number[] = [];
      const feed = pagesOf(3, async (page) => {
        if (page > 8) return;
        play.result(run, 'Failed');
        play.retry(play.result(run, 'Passed'), 'Skipped');
        await write(play);
        // The live build goes on beside the new one until that one has caught up.
        if (page <= 3) {
          await caughtUp(stores);
          await expectViewsOfLog(stores);
          seen.push((await builds()).find(({ live }) => live)!.build);
        }
      });
      const projector = startedProjector(stores, { feed });
      await projector.reported('rebuilt');
      await caughtUp(stores);
      await expectViewsOfLog(stores);
      expect(seen).to.deep.equal([1, 1, 1]);
      expect(await builds()).to.deep.equal([{ build: 2, version, live: true }]);
      expect(projector.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'rebuilt']);
    });

    it('never takes back what was seen: the views’ position does not fall', async () => {
      const { play, run, write } = await givenRequest();
      const projector = startedProjector(stores, { feed: pagesOf(2, () => undefined) });
      let highest = '';
      const rebuilt = () => projector.reports.some(({ type }) => type === 'rebuilt');
      while (!rebuilt()) {
        play.result(run, 'Passed');
        await write(play);
        const position = await stores.reader.position(name);
        expect(position >= highest, `${position} after ${highest}`).to.equal(true);
        highest = position;
      }
      await caughtUp(stores);
      await expectViewsOfLog(stores);
    });
  });

  describe('that was interrupted', () => {
    const moved: Projection = { ...ledgerViews, version: version + 1 };

    /** Runs until its n-th page, is stopped there, and runs again; tells where each of its pages began. */
    async function interrupted(
      at: number,
      projection: Projection,
    ): Promise<{ after: string[]; again: Projector }> {
      const reached: string[] = [];
      let arrive = () => undefined as void;
      const arrived = new Promise<void>((resolve) => (arrive = resolve));
      let stopping: Promise<void> = Promise.resolve();
      const feed = pagesOf(4, (page, after) => {
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
        feed: pagesOf(4, (_, from) => void after.push(from)),
        holder: { boot: 'a later start', alone: true },
      });
      await again.reported('rebuilt');
      expect(after[0]! >= reached.at(-1)!, 'it goes on where it was').to.equal(true);
      return { after, again };
    }

    it('goes on after a restart where it was', async () => {
      await givenRequest();
      const { again } = await interrupted(3, ledgerViews);
      expect(again.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'rebuilt']);
      expect(await builds()).to.deep.equal([{ build: 2, version, live: true }]);
      expect((await readRebuild(stores.state, name))?.status).to.equal('done');
      await expectViewsOfLog(stores);
    });

    it('goes on after a restart when it was for a new version', async () => {
      const { play } = playedRun();
      await writer(stores.log)(play);
      const first = startedProjector(stores);
      await caughtUp(stores);
      await first.stop();
      await interrupted(3, moved);
      expect(await builds()).to.deep.equal([{ build: 2, version: version + 1, live: true }]);
      await expectViewsOfLog(stores);
    });

    it('by a fault goes on in the same build when it was for a new version', async () => {
      await givenRequest();
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

    it('by a fault is told to who asked for it; the live views go on, and it may be asked for again', async () => {
      const { play, run, write } = await givenRequest();
      const projector = startedProjector(stores, { feed: failingOnce(3, []) });
      await projector.reported('failed');
      const request = await readRebuild(stores.state, name);
      expect(request).to.include({ status: 'failed', error: 'Error: the log is away', finished_at: NOW });
      play.result(run, 'Failed');
      await write(play);
      await caughtUp(stores);
      await expectViewsOfLog(stores);
      expect(projector.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'failed']);
      await requestRebuild(stores.state, name, NOW);
      await projector.reported('rebuilt');
      expect(await builds()).to.have.length(1);
      await expectViewsOfLog(stores);
    });

    it('by a server that went away goes on in the same build when it is back, and is not given up', async () => {
      await givenRequest();
      const projector = startedProjector(stores, {
        feed: failingOnce(3, [], new LedgerError('log_unavailable', 'It is away.')),
      });
      await projector.reported('rebuilt');
      const types = ['rebuilding', 'failed', 'rebuilding', 'rebuilt'];
      expect(projector.reports.map(({ type }) => type)).to.deep.equal(types);
      expect(await readRebuild(stores.state, name)).to.include({ status: 'done', build: 2, error: null });
      await expectViewsOfLog(stores);
    });

    it('by the loss of its lease goes on with the one that has it, and is not given up', async () => {
      await givenRequest();
      const [stale, leader] = [gate(), gate()];
      const first = startedProjector(stores, {
        holder: { boot: 'stale', alone: false },
        feed: pagesOf(4, (page) => (page === 3 ? stale.wait() : undefined)),
      });
      await stale.reached;
      const clock = testClock();
      clock.forward(60_000);
      const second = startedProjector(stores, {
        holder: { boot: 'leader', alone: false },
        clock,
        feed: pagesOf(4, (page) => (page === 2 ? leader.wait() : undefined)),
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

    /** A feed of small pages, of which the n-th fails the first time; tells where each of its pages began. */
    function failingOnce(at: number, after: string[], fault = new Error('the log is away')): Feed {
      return pagesOf(4, (page, from) => {
        after.push(from);
        if (page === at) throw fault;
      });
    }
  });

  describe('for a new version', () => {
    /** The same documents, each with one field more. */
    const next: Projection = {
      ...ledgerViews,
      version: version + 1,
      apply(documents, event) {
        const put = (collection: string, id: string, document: object) =>
          documents.put(collection, id, { ...document, new: true });
        ledgerViews.apply({ ...documents, put }, event);
      },
    };

    it('is begun by itself; the old build answers until the new one is there', async () => {
      const { play, run } = playedRun();
      const write = writer(stores.log);
      await write(play);
      const first = startedProjector(stores);
      await caughtUp(stores);
      await first.stop();
      const newField = async () => {
        const [document] = await stores.reader.get(ledgerViews, 'runs', [run.id]);
        return document?.['new'];
      };
      const before: unknown[] = [];
      const feed = pagesOf(
        4,
        async () => void before.push((await stores.reader.get(ledgerViews, 'runs', [run.id]))[0]),
      );
      const projector = startedProjector(stores, { projection: next, feed });
      await projector.reported('rebuilt');
      expect(before.length).to.be.at.least(3);
      for (const document of before)
        expect(document).to.include({ status: 'Completed' }).and.not.have.property('new');
      await eventually('the new build is read', async () => (await newField()) === true);
      expect(await builds()).to.deep.equal([{ build: 2, version: version + 1, live: true }]);
      play.result(run, 'Failed');
      await write(play);
      await caughtUp(stores);
      const [document] = await stores.reader.get(ledgerViews, 'runs', [run.id]);
      expect(document?.['counts']).to.include({ failed: 4 });
    });

    it('is done once: the next start finds nothing to do', async () => {
      await writer(stores.log)(playedRun().play);
      const first = startedProjector(stores);
      await caughtUp(stores);
      await first.stop();
      const second = startedProjector(stores, { projection: next });
      await second.reported('rebuilt');
      await second.stop();
      const third = startedProjector(stores, { projection: next });
      await eventually('it leads', async () => (await stores.writer.builds(name))[0]!.epoch === 3);
      await third.stop();
      expect(third.reports).to.deep.equal([]);
    });
  });
});

/** Holds up who comes to it until it is opened. */
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
