import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { ALL_PARTITIONS, partitionOf } from '../../src/domain/partition.js';
import { AppError } from '../../src/errors.js';
import { openFoldFeed } from '../../src/log/feed.js';
import type { Batch } from '../../src/ports/event-log.js';
import type { Commit, ViewWriter } from '../../src/ports/views.js';
import { readStuck } from '../../src/projecting/stuck.js';
import { openMemoryLedger, type MemoryLedger } from '../domain/memory-ledger.js';
import { caughtUp, expectViewsOfLog, itemsIn, startedProjector, writer } from './projector-setup.js';
import { embeddedStores, eventually } from '../stores.js';

/** Teams in different partitions, with a project each. */
function teamsIn(ledger: MemoryLedger, count: number): Team[] {
  return Array.from({ length: count }, () => {
    const team = ledger.team();
    return { team, partition: partitionOf(team), project: ledger.project(team) };
  });
}

describe('the lanes of a projector', () => {
  const stores = embeddedStores('each test');
  const name = records.name;

  /** The views, and every commit to them. `before` may fail it. */
  function recorded(before: (commit: Commit) => void | Promise<void> = () => undefined) {
    const commits: Commit[] = [];
    const views: ViewWriter = {
      ...stores.writer,
      async commit(spec, commit) {
        await before(commit);
        await stores.writer.commit(spec, commit);
        commits.push(commit);
      },
    };
    return { views, commits };
  }

  it('are one while no team has many events', async () => {
    const ledger = openMemoryLedger();
    for (const { project } of teamsIn(ledger, 2)) ledger.result(ledger.run(project), 'Passed');
    await writer(stores.log)(ledger);
    const { views, commits } = recorded();
    startedProjector(stores, { views });
    await caughtUp(stores);
    expect(new Set(commits.map(({ partitions = ALL_PARTITIONS }) => partitions))).to.deep.equal(
      new Set([ALL_PARTITIONS]),
    );
    await expectViewsOfLog(stores);
  });

  it('let a small team pass a large submission of another team, and become one again at its end', async () => {
    const ledger = openMemoryLedger();
    const [large, small] = teamsIn(ledger, 2) as [Team, Team];
    const write = writer(stores.log);
    ledger.submit(
      large.project,
      Array.from({ length: 6_000 }, () => ({})),
    );
    const run = ledger.run(small.project);
    await write(ledger);
    let late: { id: string } | null = null;
    const { views, commits } = recorded(({ partitions = ALL_PARTITIONS }) => {
      if (partitions !== large.partition || late !== null) return;
      // The front must hear of it while the lane of the large team reads on. The lane waits
      // for the write alone, which a busy machine could delay until the lane has ended.
      late = ledger.result(run, 'Passed');
      return write(ledger);
    });
    startedProjector(stores, { views });
    await caughtUp(stores);
    await eventually('they are one', async () => (await stores.reader.checkpoints(name)).length === 1);
    for (const { id } of [run, late!]) {
      const shown = commits.findIndex(({ changes }) => changes.some((change) => change.id === id));
      const rest = commits.slice(shown + 1).flatMap(({ changes }) => changes);
      expect(itemsIn(rest)).to.be.above(1_000);
    }
    await expectViewsOfLog(stores);
  });

  it('read more at once while no other team has events, and little again as soon as one has', async () => {
    const ledger = openMemoryLedger();
    const [large, small] = teamsIn(ledger, 2) as [Team, Team];
    const write = writer(stores.log);
    ledger.submit(
      large.project,
      Array.from({ length: 12_000 }, () => ({})),
    );
    const run = ledger.run(small.project);
    await write(ledger);
    const resultsIn = ({ changes }: Commit) => itemsIn(changes);
    let late: { id: string } | null = null;
    const { views, commits } = recorded((commit) => {
      // More than the lane began with.
      if (late !== null || resultsIn(commit) <= 500) return;
      late = ledger.result(run, 'Passed');
      return write(ledger);
    });
    startedProjector(stores, { views });
    await caughtUp(stores);
    const shown = commits.findIndex(({ changes }) => changes.some((change) => change.id === late!.id));
    // Without the last page, which is what is left.
    const sizes = commits.slice(shown + 1, -1).map(resultsIn);
    // The lane may have begun a page before the front had its event.
    const firstSmall = sizes.findIndex((size) => size > 0 && size <= 500);
    expect(firstSmall, String(sizes)).to.be.within(0, 2);
  });

  it('let a small team pass the submissions of many other teams', async () => {
    const ledger = openMemoryLedger();
    const [small, ...large] = teamsIn(ledger, 5) as [Team, ...Team[]];
    const items = Array.from({ length: 3_000 }, () => ({}));
    for (const { project } of large) ledger.submit(project, items);
    const run = ledger.run(small.project);
    await writer(stores.log)(ledger);
    const { views, commits } = recorded();
    startedProjector(stores, { views });
    await caughtUp(stores);
    const shown = commits.findIndex(({ changes }) => changes.some(({ id }) => id === run.id));
    const before = commits.slice(0, shown).flatMap(({ changes }) => changes);
    expect(itemsIn(before)).to.be.below(4_000);
    await eventually('they are one', async () => (await stores.reader.checkpoints(name)).length === 1);
  });

  it('commit many events that each change many documents in parts', async () => {
    const ledger = openMemoryLedger();
    const [team] = teamsIn(ledger, 1) as [Team];
    const write = writer(stores.log);
    // The second attempt of each run supersedes all first ones.
    const items = [...Array.from({ length: 900 }, () => ({ attempt: 1 })), { attempt: 2 }];
    const last = Array.from({ length: 6 }, () => ledger.submit(team.project, items).results.at(-1)!);
    await write(ledger);
    const projector = startedProjector(stores);
    await caughtUp(stores);
    await projector.stop();
    for (const each of last) ledger.deleteResult(each);
    await write(ledger);
    const { views, commits } = recorded();
    startedProjector(stores, { views });
    await caughtUp(stores);
    expect(Math.max(...commits.map(({ changes }) => changes.length))).to.be.within(1, 5_000);
    await expectViewsOfLog(stores);
  });

  describe('at an event that cannot be folded', () => {
    const isAbout = ({ changes }: Commit, id: string) => changes.some((change) => change.id === id);

    async function given() {
      const ledger = openMemoryLedger();
      const teams = teamsIn(ledger, 2) as [Team, Team];
      const [bad, good] = teams.map(({ project }) => ledger.run(project));
      const before = ledger.result(bad!, 'Passed');
      const poison = ledger.result(bad!, 'Failed');
      const results = [ledger.result(good!, 'Passed'), ledger.result(bad!, 'Passed')];
      const write = writer(stores.log);
      await write(ledger);
      return { ledger, bad: bad!, good: good!, before, poison, results, write };
    }

    it('stop only its partition, name the event, and go on with it once the program is mended', async () => {
      const { ledger, good, bad, poison, before, results, write } = await given();
      let isBroken = true;
      const { views } = recorded((commit) => {
        if (isBroken && isAbout(commit, poison.id)) throw new TypeError('a bug');
      });
      const projector = startedProjector(stores, { views });
      await projector.reported('stuck');
      results.push(ledger.result(good, 'Failed'));
      await write(ledger);
      const at = {
        partition: partitionOf(good.team),
        atLeast: await stores.log.head(good.team),
        timeoutMs: 10_000,
      };
      await stores.reader.position(name, at);
      const seen = async ({ id }: { id: string }) =>
        (await stores.reader.get(records, 'results', [id]))[0] !== null;
      expect(await Promise.all([before, poison, ...results].map(seen))).to.deep.equal([
        true,
        false,
        true,
        false,
        true,
      ]);
      const [event] = (await stores.log.readStream(`result-${bad.team}.${poison.id}`)).events;
      const report = projector.reports.find(({ type }) => type === 'stuck');
      expect(report).to.deep.include({ partitions: partitionOf(bad.team) });
      expect(report?.type === 'stuck' && report.event?.id).to.equal(event!.id);
      await eventually('its record', async () => (await readStuck(stores.state, name)).length > 0);
      const [record] = await readStuck(stores.state, name);
      expect(record).to.deep.include({ partitions: partitionOf(bad.team), error: 'a bug' });
      expect(record?.event).to.include({ id: event!.id, position: event!.position });

      isBroken = false;
      await projector.reported('unstuck');
      await caughtUp(stores);
      await expectViewsOfLog(stores);
      await eventually('the record is gone', async () => (await readStuck(stores.state, name)).length === 0);
    });

    it('stop it again after a restart, and fold it with a program that can', async () => {
      const { poison, good } = await given();
      const { views } = recorded((commit) => {
        if (isAbout(commit, poison.id)) throw new TypeError('a bug');
      });
      for (let start = 0; start < 2; start += 1) {
        const projector = startedProjector(stores, { views });
        await projector.reported('stuck');
        await projector.stop();
      }
      const head = await stores.log.head(good.team);
      expect((await stores.reader.position(name, { partition: partitionOf(good.team) })) >= head).to.equal(
        true,
      );
      startedProjector(stores);
      await caughtUp(stores);
      await expectViewsOfLog(stores);
      await eventually('the record is gone', async () => (await readStuck(stores.state, name)).length === 0);
    });

    it('take an event of a newer version for such an event', async () => {
      const { ledger, poison, good, write } = await given();
      const newer = (batch: Batch): Batch => ({
        ...batch,
        events: batch.events.map((event) =>
          event.stream.endsWith(poison.id) ? { ...event, version: 99 } : event,
        ),
      });
      const feed = openFoldFeed({
        ...stores.log,
        readAll: async (options) => newer(await stores.log.readAll(options)),
        async *follow(options) {
          for await (const batch of stores.log.follow(options)) yield newer(batch);
        },
      });
      const projector = startedProjector(stores, { feed });
      await projector.reported('stuck');
      const result = ledger.result(good, 'Failed');
      await write(ledger);
      await eventually('the other team goes on', async () => {
        return (await stores.reader.get(records, 'results', [result.id]))[0] !== null;
      });
      await eventually('its record', async () => (await readStuck(stores.state, name)).length === 1);
    });

    it('stop the partition of items that are missing in the log', async () => {
      const { ledger, bad, good, write } = await given();
      const feed = openFoldFeed(stores.log);
      const lost = openFoldFeed({
        ...stores.log,
        readStream: async (stream, options) =>
          stream.startsWith('items-') ? { events: [], isEnd: true } : stores.log.readStream(stream, options),
      });
      ledger.submit({ team: bad.team, id: bad.project }, [{}]);
      const result = ledger.result(good, 'Failed');
      await write(ledger);
      const projector = startedProjector(stores, { feed: lost });
      await projector.reported('stuck');
      await eventually('the other team goes on', async () => {
        return (await stores.reader.get(records, 'results', [result.id]))[0] !== null;
      });
      await eventually('its record', async () => (await readStuck(stores.state, name)).length > 0);
      expect((await readStuck(stores.state, name)).map(({ partitions }) => partitions)).to.deep.equal([
        partitionOf(bad.team),
      ]);
      await projector.stop();
      startedProjector(stores, { feed });
      await caughtUp(stores);
      await expectViewsOfLog(stores);
    });
  });

  it('fold every event exactly once when the projector dies between any two steps', async () => {
    const ledger = openMemoryLedger();
    const teams = teamsIn(ledger, 3);
    const write = writer(stores.log);
    for (const [n, { project }] of teams.entries()) {
      ledger.submit(
        project,
        Array.from({ length: n === 0 ? 1_500 : 3 }, (_, i) => ({ test_name: `t ${i}` })),
      );
      const run = ledger.run(project);
      ledger.retry(ledger.result(run, 'Failed'), 'Passed');
    }
    await write(ledger);
    // Each start dies one step later than the last one: before the commit, or after it, when the answer is lost.
    for (let start = 0, isDone = false; !isDone; start += 1) {
      let steps = 0;
      const die = () => {
        steps += 1;
        if (steps > start) throw new AppError('views_unavailable', 'The process is dead.');
      };
      const views: ViewWriter = {
        ...stores.writer,
        async commit(spec, commit) {
          die();
          await stores.writer.commit(spec, commit);
          die();
        },
      };
      const projector = startedProjector(stores, { views, limit: 1_200 });
      const head = await stores.log.head();
      await eventually('it dies, or it is done', async () => {
        isDone = steps <= start && (await stores.reader.position(name)) >= head;
        return isDone || projector.reports.some(({ type }) => type === 'failed');
      });
      await projector.stop();
    }
    await expectViewsOfLog(stores);
  });
});

type Team = { team: string; partition: string; project: ReturnType<MemoryLedger['project']> };
