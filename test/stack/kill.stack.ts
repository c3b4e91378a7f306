/**
 * `kill -9` of each server that ours need, under load and several times each: every answered write exists
 * exactly once, and our processes go on when the server is back.
 */
import { expect } from 'chai';
import { openEsdbLog } from '../../src/adapters/eventstoredb/log.js';
import { START } from '../../src/domain/event.js';
import { readToEnd } from '../contract/event-log/events.js';
import type { Answer, Api } from '../kit/client.js';
import { givenProject } from '../http/given.js';
import { newSeed, randomFrom } from '../process/seeded-random.js';
import { servers, until } from '../kit/process.js';
import { checkAll, checkLog, type Snapshots } from '../process/check-reads.js';
import type { Run } from '../process/expected-records.js';
import {
  forget,
  newWriter,
  resume,
  sharedRun,
  Unavailable,
  writeOnce,
  type Writer,
} from '../process/kill/random-writer.js';
import { startStandIn } from './esdb.js';
import { startMongod } from './mongod.js';
import { startAll, type StackServer } from '../kit/stack-server.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

const KILLS = 2;
const WRITERS = 16;
const SHARED = 2;

describe('kill -9 under load', function () {
  this.timeout(300_000);
  let events: StackServer;
  let views: StackServer;
  let stores: StoreUrls;
  beforeEach(async () => {
    [events, views] = await startAll([startStandIn(), startMongod()]);
    stores = emptyStores({ events: events.url, views: views.url });
  });
  // After the processes that use them: hooks of the same kind run in the order of their declaration.
  const given = servers(() => stores);
  afterEach(() => Promise.all([events.stop(), views.stop()]));

  it('of the event log (the stand-in) loses and doubles no answered write; meanwhile every write gets 503, and reads say how old they are', () =>
    killed({
      victim: () => events,
      async meanwhile(api, project) {
        const [without, withKey, { status, headers, text }] = await Promise.all([
          post(api, project),
          post(api, project, 'a-key-of-the-outage'),
          api.getOnce(`/v1/projects/${project}`),
        ]);
        for (const each of [without, withKey]) expectUnavailable(each, 'log_unavailable');
        expect(status, text).to.equal(200);
        expect(Number(headers.get('x-read-lag'))).to.be.at.least(2_000);
      },
    }));

  it('of MongoDB loses and doubles no answered write; meanwhile only writes with an Idempotency-Key get 503', () =>
    killed({
      victim: () => views,
      async meanwhile(api, project) {
        const [without, withKey, read] = await Promise.all([
          post(api, project),
          post(api, project, 'a-key-of-the-outage'),
          api.get('/v1/projects'),
        ]);
        expect(without.status, without.text).to.equal(200);
        expectUnavailable(withKey, 'state_unavailable');
        expectUnavailable(read, 'views_unavailable');
      },
    }));

  type Kill = { victim: () => StackServer; meanwhile: (api: Api, project: string) => Promise<void> };

  async function killed({ victim, meanwhile }: Kill): Promise<void> {
    const seed = newSeed();
    const random = randomFrom(seed);
    const projector = await given.start({ env: { ROLES: 'projector' } });
    const server = await given.start({ env: { ROLES: 'api' } });
    const { owner } = server;
    const [project, other] = [await givenProject(owner), await givenProject(owner)];
    const shared: Run[] = [];
    for (let n = 0; n < SHARED; n += 1) shared.push(await sharedRun(owner, project, `shared-${n}`));
    const writers = Array.from({ length: WRITERS }, (_, n) =>
      newWriter(`w${n}`, randomFrom(random.below(2 ** 31)), project, shared),
    );
    const snapshots: Snapshots = new Map();
    const outages: number[] = [];
    const written = () => writers.reduce((sum, { writes }) => sum + writes, 0);

    for (let round = 0; round < KILLS; round += 1) {
      const enough = written() + 100 + random.below(200);
      let down = false;
      const writing = writers.map((writer) => writeUntilAway(writer, owner, () => down));
      await Promise.race([until('enough writes', () => written() >= enough), Promise.all(writing)]);
      await victim().kill();
      await meanwhile(owner, other);
      down = true;
      await victim().start();
      await Promise.all(writing);
      const back = performance.now();
      await until('all to be served again', () => isServed(owner, other, round));
      outages.push(performance.now() - back);
      await Promise.all(writers.map((writer) => resume(writer, owner)));
      writers.forEach(forget);
      await checkAll(owner, project, { writers, shared, snapshots, all: round === KILLS - 1 });
      for (const { touched } of writers) touched.clear();
    }
    console.log(
      `        longest until all is served again: ${Math.round(Math.max(...outages))} ms (TEST_SEED=${seed})`,
    );

    expect((await server.stop()).code).to.equal(0);
    expect((await projector.stop()).code).to.equal(0);
    const log = await openEsdbLog({ url: stores.EVENTS_URL });
    const { events: all } = await readToEnd(log, { after: START });
    await log.close();
    checkLog(all, [...shared, ...writers.flatMap((writer) => writer.runs)]);
  }
});

/** Writes until it gets a 503, or until `enough`. */
async function writeUntilAway(writer: Writer, api: Api, enough: () => boolean): Promise<void> {
  try {
    while (!enough()) await writeOnce(writer, api);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    expectUnavailable(error.answer);
  }
}

/** A write without a key, one with a key, and a GET that shows them. */
async function isServed(api: Api, project: string, round: number): Promise<boolean> {
  const answers = [
    await post(api, project),
    await post(api, project, `after-${round}`),
    await api.getOnce(`/v1/projects/${project}`),
  ];
  for (const answer of answers) if (answer.status === 503) expectUnavailable(answer);
  return answers.every(({ status, headers }) => status === 200 && !headers.has('x-read-lag'));
}

function post(api: Api, project_id: string, key?: string): Promise<Answer> {
  const body = { project_id, test_name: 'during the outage', status: 'Passed' };
  return api.post('/v1/test/result/', body, key === undefined ? {} : { 'Idempotency-Key': key });
}

function expectUnavailable({ status, headers, body, text }: Answer, code?: string): void {
  expect(status, text).to.equal(503);
  expect(Number(headers.get('retry-after')), text).to.be.at.least(1);
  if (code !== undefined) expect(body.code ?? body.error.details.reason, text).to.equal(code);
}
