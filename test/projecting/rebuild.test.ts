import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { readRebuild, requestRebuild } from '../../src/projecting/rebuild.js';
import {
  caughtUp,
  expectViewsOfLog,
  nextRecords,
  runInMemory,
  projectedRun,
  startedProjector,
  wholeFeed,
  writer,
} from './projector-setup.js';
import { buildsOf, givenRequest, pagesOf } from './rebuild-setup.js';
import { embeddedStores, eventually, NOW } from '../stores.js';

describe('a rebuild', () => {
  const stores = embeddedStores('each test');
  const name = records.name;
  const builds = () => buildsOf(stores);
  const version = records.version;

  it('on request gives the same documents byte for byte, and then goes live', async () => {
    const { ledger, run, write } = await givenRequest(stores);
    const projector = startedProjector(stores);
    await projector.reported('rebuilt');
    await expectViewsOfLog(stores);
    expect(await builds()).to.deep.equal([{ build: 2, version, live: true }]);
    const { length } = await wholeFeed(stores.log);
    const done = {
      status: 'done',
      build: 2,
      events: length,
      requested_at: NOW,
      finished_at: NOW,
      error: null,
      version,
    };
    expect(await readRebuild(stores.state, name)).to.deep.equal(done);
    expect(projector.reports).to.deep.equal([
      { type: 'rebuilding', build: 2 },
      { type: 'rebuilt', build: 2 },
    ]);
    ledger.result(run, 'Failed');
    await write(ledger);
    await caughtUp(stores);
    await expectViewsOfLog(stores);
  });

  it('is begun by a projector that runs already', async () => {
    const { ledger } = runInMemory();
    await writer(stores.log)(ledger);
    const projector = startedProjector(stores);
    await caughtUp(stores);
    await requestRebuild(stores.state, records, NOW);
    await projector.reported('rebuilt');
    await expectViewsOfLog(stores);
    expect((await readRebuild(stores.state, name))?.status).to.equal('done');
  });

  it('can be requested repeatedly, also for an empty log', async () => {
    for (let build = 2; build <= 4; build += 1) {
      await requestRebuild(stores.state, records, NOW);
      const projector = startedProjector(stores);
      await projector.reported('rebuilt');
      await projector.stop();
    }
    expect(await builds()).to.have.length(1);
    expect((await readRebuild(stores.state, name))?.status).to.equal('done');
  });

  describe('while events go on', () => {
    it('has them all, and readers see each of them at once', async () => {
      const { ledger, run, write } = await givenRequest(stores);
      const seen: number[] = [];
      const feed = pagesOf(stores, 3, async (page) => {
        if (page > 8) return;
        ledger.result(run, 'Failed');
        ledger.retry(ledger.result(run, 'Passed'), 'Skipped');
        await write(ledger);
        // The live build goes on beside the new build until the new build has caught up.
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

    it('never moves the position of the views back', async () => {
      const { ledger, run, write } = await givenRequest(stores);
      const projector = startedProjector(stores, { feed: pagesOf(stores, 2, () => undefined) });
      let highest = '';
      const rebuilt = () => projector.reports.some(({ type }) => type === 'rebuilt');
      while (!rebuilt()) {
        ledger.result(run, 'Passed');
        await write(ledger);
        const position = await stores.reader.position(name);
        expect(position >= highest, `${position} after ${highest}`).to.equal(true);
        highest = position;
      }
      await caughtUp(stores);
      await expectViewsOfLog(stores);
    });
  });

  describe('for a new version', () => {
    it('begins by itself; the old build answers until the new one is live', async () => {
      const { ledger, run, write } = await projectedRun(stores);
      const newField = async () => {
        const [document] = await stores.reader.get(records, 'runs', [run.id]);
        return document?.['new'];
      };
      const before: unknown[] = [];
      const feed = pagesOf(
        stores,
        4,
        async () => void before.push((await stores.reader.get(records, 'runs', [run.id]))[0]),
      );
      const projector = startedProjector(stores, { projection: nextRecords, feed });
      await projector.reported('rebuilt');
      expect(before.length).to.be.at.least(3);
      for (const document of before)
        expect(document).to.include({ status: 'Completed' }).and.not.have.property('new');
      await eventually('the new build is read', async () => (await newField()) === true);
      expect(await builds()).to.deep.equal([{ build: 2, version: version + 1, live: true }]);
      ledger.result(run, 'Failed');
      await write(ledger);
      await caughtUp(stores);
      const [document] = await stores.reader.get(records, 'runs', [run.id]);
      expect(document?.['counts']).to.include({ failed: 4 });
    });

    it('runs once: the next start has nothing to do', async () => {
      await projectedRun(stores);
      const second = startedProjector(stores, { projection: nextRecords });
      await second.reported('rebuilt');
      await second.stop();
      const third = startedProjector(stores, { projection: nextRecords });
      await eventually('it leads', async () => (await stores.writer.builds(name))[0]!.epoch === 3);
      await third.stop();
      expect(third.reports).to.deep.equal([]);
    });
  });
});
