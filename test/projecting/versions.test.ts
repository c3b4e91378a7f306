/** Two versions of one projection on the same stores, as in an upgrade of one process at a time. */
import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { partitionOf } from '../../src/domain/partition.js';
import { openFoldFeed } from '../../src/log/feed.js';
import type { Commit, ViewWriter } from '../../src/ports/views.js';
import { readRebuild, requestRebuild } from '../../src/projecting/rebuild.js';
import { readStuck } from '../../src/projecting/stuck.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import {
  caughtUp,
  expectViewsOfLog,
  feedWith,
  nextRecords,
  projectedRun,
  startedProjector,
  writer,
  type Projector,
} from './projector-setup.js';
import { buildsOf, pagesOf } from './rebuild-setup.js';
import { embeddedStores, eventually, NOW } from '../stores.js';

const OLD = records.version;
const NEW = OLD + 1;

describe('two versions of one projection on the same stores', () => {
  const stores = embeddedStores('each test');
  const name = records.name;

  type More = Parameters<typeof startedProjector>[1];
  const startOld = (more: More = {}) =>
    startedProjector(stores, { holder: { boot: 'old', alone: false }, ...more });
  const startNew = (more: More = {}) =>
    startedProjector(stores, { projection: nextRecords, holder: { boot: 'new', alone: false }, ...more });

  const typesOf = ({ reports }: Projector) => reports.map(({ type }) => type);
  const liveVersion = async () => (await stores.writer.builds(name)).find(({ live }) => live)?.version;
  /** An older projector that leads already. Two that start at once would take the same epoch. */
  async function leadingOld(more: More = {}): Promise<Projector> {
    const old = startOld(more);
    await eventually('it leads', async () => (await stores.writer.builds(name))[0]!.epoch > 1);
    return old;
  }
  const document = async (collection: string, id: string) =>
    (await stores.reader.get(records, collection, [id]))[0];

  /** The views, with every commit to them by version of the build. */
  function recorded(commits: Commit[]): ViewWriter {
    return {
      ...stores.writer,
      async commit(spec, commit) {
        await stores.writer.commit(spec, commit);
        commits.push(commit);
      },
    };
  }

  /** Live views of the older version, and one more result with each call of `happen`. */
  async function given() {
    const { ledger, run, write } = await projectedRun(stores);
    return {
      run,
      async happen() {
        const result = ledger.result(run, 'Failed');
        await write(ledger);
        return result;
      },
    };
  }

  /** As above, with the live build of the newer version. */
  async function upgraded() {
    const before = await given();
    const first = startNew();
    await first.reported('rebuilt');
    await first.stop();
    return before;
  }

  describe('while the live build is of the newer one', () => {
    it('leave the older one a spare: it folds nothing, drops nothing, and says so once', async () => {
      const { happen } = await upgraded();
      const builds = await stores.writer.builds(name);
      const commits: Commit[] = [];
      const old = startOld({ views: recorded(commits) });
      await old.reported('spare');
      const made = await happen();
      const lease = await stores.state.get('lease', name);
      let looks = 0;
      const second = startOld({
        holder: { boot: 'another', alone: false },
        views: { ...recorded(commits), builds: (each) => ((looks += 1), stores.writer.builds(each)) },
      });
      // Each of its two loops looks once in a while, and more often than once.
      await eventually('it has looked again', () => looks >= 4);
      for (const each of [old, second]) {
        expect(each.reports).to.deep.equal([{ type: 'spare', version: NEW }]);
      }
      expect(commits).to.deep.equal([]);
      expect(await stores.writer.builds(name)).to.deep.equal(builds);
      expect(await stores.state.get('lease', name)).to.deep.equal(lease);

      startNew();
      await caughtUp(stores);
      expect(await document('results', made.id)).to.include({ new: true });
    });

    it('never change the build again, however often either starts', async () => {
      const { happen } = await upgraded();
      const [{ build } = { build: 0 }] = await buildsOf(stores);
      for (let round = 0; round < 3; round += 1) {
        const old = startOld();
        await old.reported('spare');
        const newer = startNew();
        const made = await happen();
        await caughtUp(stores);
        expect(await document('results', made.id)).to.include({ new: true });
        await newer.stop();
        // The older one is alone now.
        const unread = await happen();
        await old.stop();
        expect(await document('results', unread.id)).to.equal(null);
        expect([...typesOf(old), ...typesOf(newer)]).to.deep.equal(['spare']);
        expect(await buildsOf(stores)).to.deep.equal([{ build, version: NEW, live: true }]);
      }
    });
  });

  describe('while the live build is of the older one', () => {
    it('keep it fresh by the older leader until the newer one has built its own, promotes it and takes over', async () => {
      const { happen, run } = await given();
      const commits: Commit[] = [];
      const old = await leadingOld({ views: recorded(commits) });
      const seen: unknown[] = [];
      const feed = pagesOf(stores, 4, async (page) => {
        if (page > 3) return;
        const made = await happen();
        await caughtUp(stores);
        const shown = await document('results', made.id);
        expect(shown).to.include({ status: 'Failed' }).and.not.have.property('new');
        seen.push(await liveVersion());
      });
      const newer = startNew({ feed });
      await newer.reported('rebuilt');
      expect(seen).to.deep.equal([OLD, OLD, OLD]);
      expect(await buildsOf(stores)).to.deep.equal([{ build: 2, version: NEW, live: true }]);
      expect(new Set(commits.map(({ build }) => build))).to.deep.equal(new Set([1]));

      await old.reported('spare');
      const made = await happen();
      await caughtUp(stores);
      expect(await document('results', made.id)).to.include({ new: true });
      expect(await document('runs', run.id)).to.include({ new: true });
      expect(typesOf(newer)).to.deep.equal(['rebuilding', 'rebuilt']);
    });

    it('promote the newer one although the older one commits all the time', async () => {
      const { happen } = await given();
      const old = await leadingOld();
      let highest = '';
      let races = 0;
      // The older one commits between any look at the live build and what the newer one does next.
      const views: ViewWriter = {
        ...stores.writer,
        async builds(each) {
          const found = await stores.writer.builds(each);
          if (races < 20 && found.length > 1) {
            races += 1;
            await happen();
            await caughtUp(stores);
          }
          return found;
        },
      };
      const newer = startNew({ views });
      while (!typesOf(newer).includes('rebuilt')) {
        await happen();
        const position = await stores.reader.position(name);
        expect(position >= highest, `${position} after ${highest}`).to.equal(true);
        highest = position;
      }
      expect(typesOf(newer)).to.deep.equal(['rebuilding', 'rebuilt']);
      expect(races).to.equal(20);
      await caughtUp(stores);
      expect(await liveVersion()).to.equal(NEW);
      await old.reported('spare');
    });

    it('begin again with a higher epoch where both have taken the same one at once', async () => {
      const { happen } = await given();
      const [old, newer] = [startOld(), startNew()];
      while (!typesOf(newer).includes('rebuilt')) await happen();
      await old.reported('spare');
      const made = await happen();
      await caughtUp(stores);
      expect(await document('results', made.id)).to.include({ new: true });
    });

    it('give the lease to the newer one after its promotion, also where nothing is written', async () => {
      await given();
      const old = await leadingOld();
      const newer = startNew();
      await newer.reported('rebuilt');
      await old.reported('spare');
    });

    it('go on with it when the newer one ends before its promotion', async () => {
      const { happen } = await given();
      const old = startOld();
      const beforePage = () => void newer.stop();
      const newer = startNew({ feed: feedWith(openFoldFeed(stores.log), { beforePage, limit: 2 }) });
      await newer.reported('rebuilding');
      await newer.stop();
      expect(typesOf(newer)).to.deep.equal(['rebuilding']);
      await happen();
      await caughtUp(stores);
      await expectViewsOfLog(stores);
      expect(await liveVersion()).to.equal(OLD);
      const again = startNew();
      await again.reported('rebuilt');
      // It goes on with the build that was begun.
      expect(again.reports[0]).to.deep.equal(newer.reports[0]);
      await old.reported('spare');
    });
  });

  describe('when an operator requests a rebuild', () => {
    it('of the older one, let it replace the newer one once', async () => {
      const { happen } = await upgraded();
      const old = startOld();
      await old.reported('spare');
      await requestRebuild(stores.state, records, NOW);
      await old.reported('rebuilt');
      expect(await buildsOf(stores)).to.deep.equal([{ build: 3, version: OLD, live: true }]);
      expect(await readRebuild(stores.state, name)).to.include({ status: 'done', build: 3, version: OLD });
      await happen();
      await caughtUp(stores);
      await expectViewsOfLog(stores);
    });

    it('of another one, leave the request to the processes of that version', async () => {
      const { happen } = await given();
      await requestRebuild(stores.state, { name, version: NEW + 1 }, NOW);
      const before = await readRebuild(stores.state, name);
      const old = startOld();
      await happen();
      await caughtUp(stores);
      expect(old.reports).to.deep.equal([]);
      const newer = startNew();
      await newer.reported('rebuilt');
      await old.reported('spare');
      await happen();
      await caughtUp(stores);
      expect(await readRebuild(stores.state, name)).to.deep.equal(before);
    });

    it('of the older one during the upgrade, leave the request to it', async () => {
      await given();
      await requestRebuild(stores.state, records, NOW);
      const newer = startNew();
      await newer.reported('rebuilt');
      expect(await readRebuild(stores.state, name)).to.include({ status: 'requested', version: OLD });
    });
  });

  it('promote a newer one that cannot fold one event, with its partition alone behind, and go on with it once it is mended', async () => {
    const ledger = openMemoryLedger();
    const bad = ledger.team();
    let good = ledger.team();
    while (partitionOf(good) === partitionOf(bad)) good = ledger.team();
    const [badRun, goodRun] = [bad, good].map((team) => ledger.run(ledger.project(team)));
    const first = ledger.result(badRun!, 'Passed');
    const poison = ledger.result(badRun!, 'Failed');
    const results = [ledger.result(goodRun!, 'Passed'), ledger.result(badRun!, 'Passed')];
    const write = writer(stores.log);
    await write(ledger);
    const old = startOld();
    await caughtUp(stores);

    let isBroken = true;
    const broken: ViewWriter = {
      ...stores.writer,
      async commit(spec, commit) {
        const isPoison = commit.changes.some(({ id }) => id === poison.id);
        if (isBroken && spec.version === NEW && isPoison) throw new TypeError('a bug');
        return stores.writer.commit(spec, commit);
      },
    };
    const newer = startNew({ views: broken });
    await newer.reported('rebuilt');
    await old.reported('spare');
    results.push(ledger.result(goodRun!, 'Failed'));
    await write(ledger);
    const atLeast = await stores.log.head(good);
    const position = (team: string) =>
      stores.reader.position(name, { partition: partitionOf(team), atLeast, timeoutMs: 10_000 });
    expect((await position(good)) >= atLeast).to.equal(true);
    const seen = async ({ id }: { id: string }) => (await document('results', id)) !== null;
    expect(await Promise.all([first, poison, ...results].map(seen))).to.deep.equal([
      true,
      false,
      true,
      false,
      true,
    ]);
    const behind = (await stores.reader.checkpoints(name)).filter((each) => each.position < atLeast);
    expect(behind.map(({ partitions }) => partitions)).to.deep.equal([partitionOf(bad)]);
    await eventually('its record', async () => (await readStuck(stores.state, name)).length === 1);
    expect((await readStuck(stores.state, name))[0]).to.include({ build: 2, error: 'a bug' });

    isBroken = false;
    await newer.reported('unstuck');
    await caughtUp(stores);
    for (const result of [first, poison, ...results]) {
      expect(await document('results', result.id)).to.include({ new: true });
    }
    await eventually('the record is gone', async () => (await readStuck(stores.state, name)).length === 0);
  });
});
