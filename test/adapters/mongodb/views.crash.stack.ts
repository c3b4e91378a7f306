/** A writer that dies, or loses its server's answers, at any step of a commit or of a rebuild. */
import { expect } from 'chai';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { MongoClient } from 'mongodb';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import type { ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { at } from '../../contract/views/things.js';
import { emptyDatabase, serverUrl, type TestDatabase } from './database.js';
import { everyCommand, namedUrl, openFailPoints, type FailPoints } from './failpoint.js';
import type { StepMessage } from './views.child.js';
import { commitStep, KEPT, rebuildStep, spec, type Step } from './views.steps.js';

const child = new URL('./views.child.js', import.meta.url);
const APP = 'to-be-stopped';

describe('the views in MongoDB when a writer stops', function () {
  let database: TestDatabase;
  let failPoints: FailPoints;
  let reader: ViewReader;
  beforeEach(async () => {
    database = await emptyDatabase();
    failPoints = openFailPoints(serverUrl());
    reader = openMongoViewReader(database);
  });
  afterEach(async () => {
    await failPoints.off();
    await failPoints.close();
    await reader.close();
    await database.drop();
  });

  for (const [step, atLeast] of [
    ['commit', 8],
    ['rebuild', 30],
  ] as const) {
    it(`killed before any command of a ${step}, leaves all or nothing, and the next writer goes on at once`, async () => {
      let [n, epoch] = [KEPT, 1];
      await withWriter(database.url, async (writer) => {
        await writer.prepare(spec, 1);
        await commitStep(writer, { build: 1, epoch, n });
      });
      let steps = 0;
      for (let killed = true; killed; steps += 1) {
        killed = await killAt(steps, { step, epoch: (epoch += 1), n: n + 1 });
        const reached = await expectWhole();
        expect(reached, `killed at command ${steps}`).to.be.oneOf(killed ? [n, n + 1] : [n + 1]);
        n = reached + 1;
        epoch += 1;
        const began = performance.now();
        await withWriter(database.url, (writer) => goOn(writer, step, { epoch, n }));
        // A transaction that was left open would block it for a minute.
        expect(performance.now() - began).to.be.lessThan(30_000);
        expect(await expectWhole()).to.equal(n);
      }
      expect(steps, 'commands at which it was killed').to.be.greaterThan(atLeast);
      await expectNothingLeftOver(step);
    });
  }

  it('repeats a command whose connection breaks, once', async () => {
    await withWriter(namedUrl(database.url, APP), async (writer) => {
      await writer.prepare(spec, 1);
      for (const [index, command] of ['update', 'insert', 'delete', 'commitTransaction'].entries()) {
        await commitStep(writer, { build: 1, epoch: 1, n: index * 2 + 1 });
        await failPoints.set({ times: 1 }, { failCommands: [command], closeConnection: true, appName: APP });
        await commitStep(writer, { build: 1, epoch: 1, n: index * 2 + 2 });
        expect(await failPoints.met(1), command).to.equal(true);
        expect(await expectWhole()).to.equal(index * 2 + 2);
      }
    });
  });

  it('counts a commit as done whose outcome stays unknown, though it was done', async () => {
    await withWriter(namedUrl(database.url, APP), async (writer) => {
      await writer.prepare(spec, 1);
      await commitStep(writer, { build: 1, epoch: 1, n: 1 });
      // The server commits, and says each time that it cannot tell whether a majority has the commit.
      const unknown = { code: 64, codeName: 'WriteConcernFailed', errmsg: 'unknown' };
      await failPoints.set('alwaysOn', {
        failCommands: ['commitTransaction'],
        writeConcernError: { ...unknown, errInfo: { writeConcern: { w: 'majority' } } },
        appName: APP,
      });
      await commitStep(writer, { build: 1, epoch: 1, n: 2 });
      expect(await failPoints.met(1)).to.equal(true);
      expect(await expectWhole()).to.equal(2);
      await failPoints.off();
      await commitStep(writer, { build: 1, epoch: 1, n: 3 });
      expect(await expectWhole()).to.equal(3);
    });
  });

  it('records its session again when it leads after another writer, so that the next writer ends what it leaves open', async () => {
    const client = new MongoClient(database.url);
    const noted = async () => String((await client.db().collection('builds').findOne())?.['session']);
    try {
      await withWriter(database.url, async (first) => {
        await first.prepare(spec, 1);
        await commitStep(first, { build: 1, epoch: 1, n: 1 });
        const own = await noted();
        await withWriter(database.url, async (second) => {
          await commitStep(second, { build: 1, epoch: 2, n: 2 });
          expect(await noted()).to.not.equal(own);
          await commitStep(first, { build: 1, epoch: 3, n: 3 });
          expect(await noted()).to.equal(own);
        });
      });
    } finally {
      await client.close();
    }
  });

  /** False when the step was done with fewer commands. */
  async function killAt(command: number, message: StepMessage): Promise<boolean> {
    const writer = fork(child, [namedUrl(database.url, APP)]);
    const ended = once(writer, 'exit');
    try {
      await once(writer, 'message');
      const blocked = {
        failCommands: everyCommand,
        blockConnection: true,
        // Long enough to be killed in. The server remembers the fault until this time is over.
        blockTimeMS: 250,
        appName: APP,
      };
      await failPoints.set({ skip: command }, blocked);
      const done = once(writer, 'message').then(() => false);
      writer.send(message);
      return await Promise.race([done, failPoints.met(30_000)]);
    } finally {
      writer.kill('SIGKILL');
      await ended;
      await failPoints.off();
    }
  }

  /** The documents, totals and checkpoint of the live build belong to one state. Answers which one. */
  async function expectWhole(): Promise<number> {
    const { n, found, all, teams } = await readWhole();
    expect(found.map((one) => one?.['n'] ?? null)).to.deep.equal([n, n, ...kept(n), null, null]);
    expect([all.items.length, all.total]).to.deep.equal([kept(n).length + 2, kept(n).length + 2]);
    for (const [team, of] of teams) {
      expect(of.total).to.equal(of.items.length);
      expect(of.items.every((one) => one['team'] === team)).to.equal(true);
    }
    return n;
  }

  /**
   * Reads again where the checkpoint moved between the reads: the server still does the last command of a killed writer
   * when its time of waiting is over.
   */
  async function readWhole() {
    for (;;) {
      const position = await reader.position(spec.name);
      const n = Number(position);
      const ids = ['left', 'right', ...kept(n).map((one) => `n${one}`), `n${n - KEPT}`, `n${n + 1}`];
      const found = await reader.get(spec, 'things', ids);
      const sort = { field: 'at', direction: 'ascending' } as const;
      const all = await reader.find(spec, 'things', { where: {}, sort, limit: 100, total: true });
      const teams: [string, typeof all][] = [];
      for (const team of ['t0', 't1', 't2']) {
        const page = { where: { team }, sort, limit: 100, total: true };
        teams.push([team, await reader.find(spec, 'things', page)]);
      }
      if ((await reader.position(spec.name)) !== position) continue;
      expect(position).to.equal(at(n));
      return { n, found, all, teams };
    }
  }

  async function expectNothingLeftOver(step: Step): Promise<void> {
    const client = new MongoClient(database.url);
    try {
      const builds = await client.db().collection('builds').find().toArray();
      expect(builds.map(({ state, live }) => [state, live])).to.deep.equal([['ready', true]]);
      const names = (await client.db().listCollections().toArray()).map(({ name }) => name).sort();
      const id = String(builds[0]?._id);
      expect(names, step).to.deep.equal(['builds', 'schema', `${id}.others`, `${id}.things`].sort());
    } finally {
      await client.close();
    }
  }
});

async function withWriter<T>(url: string, work: (writer: ViewWriter) => Promise<T>): Promise<T> {
  const writer = openMongoViewWriter({ url });
  try {
    return await work(writer);
  } finally {
    await writer.close();
  }
}

async function goOn(
  writer: ViewWriter,
  step: Step,
  { epoch, n }: { epoch: number; n: number },
): Promise<void> {
  if (step === 'rebuild') return rebuildStep(writer, { epoch, n });
  const live = (await writer.builds(spec.name)).find((one) => one.live);
  await commitStep(writer, { build: live?.build ?? 0, epoch, n });
}

/** The numbers of the documents that a commit of `n` keeps, the newest first. */
function kept(n: number): number[] {
  return Array.from({ length: Math.min(n, KEPT) }, (_, back) => n - back);
}
