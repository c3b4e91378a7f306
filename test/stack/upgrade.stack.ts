/** Two versions of the program on the same servers: an upgrade of one process at a time, under writes. */
import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { openMongoViewReader } from '../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../src/adapters/mongodb/views/writer.js';
import { givenProject, givenResult, givenRun, givenSubmission } from '../http/given.js';
import { servers, until, type RunningServer } from '../kit/process.js';
import { makeNextVersion, NEXT_FIELD, type NextVersion } from './next-version.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

const REBUILT = 'the views are rebuilt and live';
const SPARE = 'a newer version of testledger has built the read models: this process does not fold them';
const BACKLOG = 3_000;
const WORK = { ROLES: 'projector,publisher' };

describe('an upgrade of one process at a time', function () {
  this.timeout(300_000);
  let next: NextVersion;
  before(async () => (next = await makeNextVersion()));
  after(() => next.remove());
  let stores: StoreUrls;
  beforeEach(() => (stores = emptyStores()));
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const given = servers(() => stores);

  /** The live version and position of each projection, which never go back. */
  function watchedViews() {
    const writer = openMongoViewWriter({ url: stores.VIEWS_URL });
    closing.push(() => writer.close());
    const seen = new Map<string, { version: number; position: string }>();
    return {
      seen,
      async look(): Promise<void> {
        for (const { name } of [records, history]) {
          const live = (await writer.builds(name)).find((build) => build.live);
          if (live === undefined) continue;
          const { version, position } = live;
          const before = seen.get(name) ?? { version: 0, position: '' };
          expect(version, `the version of ${name}`).to.be.at.least(before.version);
          expect(position >= before.position, `${name}: ${position} after ${before.position}`).to.equal(true);
          seen.set(name, { version, position });
        }
      },
      versions: () => [records, history].map(({ name, version }) => seen.get(name)!.version - version),
    };
  }

  /** The processes that take requests, as a load balancer has them. */
  function balanced(nodes: RunningServer[]) {
    const busy = new Map<RunningServer, number>();
    let turn = 0;
    return {
      async ask<T>(work: (node: RunningServer) => Promise<T>): Promise<T> {
        const node = nodes[(turn += 1) % nodes.length]!;
        busy.set(node, (busy.get(node) ?? 0) + 1);
        try {
          return await work(node);
        } finally {
          busy.set(node, busy.get(node)! - 1);
        }
      },
      /** Replaces one: it is stopped when it has answered everything. */
      async replace(old: RunningServer, by: RunningServer): Promise<void> {
        nodes.splice(nodes.indexOf(old), 1, by);
        await until('it has answered everything', () => (busy.get(old) ?? 0) === 0);
        expect((await old.stop()).code).to.equal(0);
      },
    };
  }

  it('loses no write, keeps GETs fresh, never folds a read model back, and ends with all of the new version', async () => {
    const oldWork = await given.start({ env: WORK });
    const oldNodes = [
      await given.start({ env: { ROLES: 'api' } }),
      await given.start({ env: { ROLES: 'api' } }),
    ];
    const { owner } = oldNodes[0]!;
    const project = await givenProject(owner);
    const items = Array.from({ length: BACKLOG }, () => ({}));
    for (let n = 0; n < 2; n += 1) await givenSubmission(owner, project, items);
    await oldNodes[1]!.caughtUp();
    const { test_run_id } = await givenRun(owner, project);
    const balancer = balanced([...oldNodes]);
    const views = watchedViews();

    const made: any[] = [];
    const waits: number[] = [];
    let isOver = false;
    /** One client: what it was answered, it sees on any process. */
    const writing = (async () => {
      while (!isOver) {
        const fields = { test_run_id, test_name: `test ${made.length}`, status: 'Failed' };
        made.push(await balancer.ask((node) => givenResult(node.owner, project, fields)));
        const began = performance.now();
        // On a busy machine an answer may be stale after 2 s, and says so: then it is asked for again.
        const run = await balancer.ask((node) => node.owner.get(`/v1/test/run/${test_run_id}`));
        waits.push(performance.now() - began);
        expect(run.status, run.text).to.equal(200);
        expect(run.body.counts.total).to.equal(made.length);
        await views.look();
      }
    })();
    const more = async (count: number) => {
      const enough = made.length + count;
      await Promise.race([until('more writes', () => made.length >= enough), writing]);
    };
    await more(20);
    expect(views.versions()).to.deep.equal([0, 0]);

    const newWork = await given.start({ env: WORK, main: next.main });
    await until('both are rebuilt', () => newWork.logged().filter(({ msg }) => msg === REBUILT).length === 2);
    await more(20);
    await oldWork.line(SPARE);
    expect((await oldWork.stop()).code).to.equal(0);
    for (const old of oldNodes) {
      const node = await given.start({ env: { ROLES: 'api' }, main: next.main });
      await balancer.replace(old, node);
      await more(20);
    }
    isOver = true;
    await writing;
    await views.look();
    expect(views.versions()).to.deep.equal([1, 1]);
    console.log(`        ${made.length} writes; the longest GET took ${Math.round(Math.max(...waits))} ms`);

    await balancer.ask(async (node) => {
      for (const result of made) {
        const { body } = await node.owner.get(`/v1/test/result/${result.test_result_id}`);
        expect(body).to.deep.equal(result);
      }
    });
    const reader = openMongoViewReader({ url: stores.VIEWS_URL });
    closing.push(() => reader.close());
    const [document] = await reader.get(records, 'projects', [project]);
    expect(document).to.include({ [NEXT_FIELD]: true });
  });

  it('leaves an old process that starts again a spare, even while no new one runs', async () => {
    const node = await given.start({ env: { ROLES: 'api' } });
    const project = await givenProject(node.owner);
    const oldWork = await given.start({ env: WORK });
    const newWork = await given.start({ env: WORK, main: next.main });
    await until('both are rebuilt', () => newWork.logged().filter(({ msg }) => msg === REBUILT).length === 2);
    await oldWork.kill();
    await newWork.kill();
    const views = watchedViews();
    await views.look();
    const before = views.versions();
    const again = await given.start({ env: WORK });
    const spares = () => again.logged().filter(({ msg }) => msg === SPARE);
    await until('it is a spare for both', () => spares().length === 2);
    const { test_run_id } = await givenRun(node.owner, project);
    const behind = await node.owner.getOnce('/v1/projects');
    expect(Number(behind.headers.get('x-read-lag'))).to.be.above(0);
    await views.look();
    expect(views.versions()).to.deep.equal(before);
    expect(spares()).to.have.length(2);
    expect(again.logged().filter(({ msg }) => msg.startsWith('rebuilding'))).to.deep.equal([]);

    await given.start({ env: WORK, main: next.main });
    const fresh = async () => (await node.owner.getOnce('/v1/projects')).headers.get('x-read-lag') === null;
    await until('a new one takes over', fresh);
    const run = await node.owner.get(`/v1/test/run/${test_run_id}`);
    expect(run.body).to.include({ test_run_id });
    await views.look();
    expect(views.versions()).to.deep.equal(before);
  });
});
