/** A purge on shared stores: asked of one process, and known by all. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { emptyStream } from '../adapters/nats/stream.js';
import { allEvents } from '../http/events.js';
import {
  bodyOf,
  givenArtifact,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
} from '../http/given.js';
import type { Api } from '../kit/client.js';
import { servers, until, type RunningServer } from '../kit/process.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

/** An append may be under way for 30 s. */
const ERASED_MS = 120_000;

describe('a purge on EventStoreDB, MongoDB, NATS and S3, with a process for each role', function () {
  let stores: StoreUrls & { BUS_URL: string };
  let stream: ReturnType<typeof emptyStream>;
  beforeEach(() => {
    stream = emptyStream();
    stores = { ...emptyStores(), BUS_URL: stream.url };
  });
  afterEach(() => stream.remove());
  const given = servers(() => stores);

  let nodes: [RunningServer, RunningServer];
  beforeEach(async () => {
    for (const roles of ['projector', 'publisher', 'dispatcher'])
      await given.start({ env: { ROLES: roles } });
    nodes = [await given.start({ env: { ROLES: 'api' } }), await given.start({ env: { ROLES: 'api' } })];
  });

  /** All that lists and counts say of a project. */
  const told = (api: Api, project: string) =>
    Promise.all(
      ['overview', 'tests', 'failures', 'stats']
        .map((part) => `/v1/projects/${project}/${part}`)
        .concat(`/v1/test-runs?project_id=${project}`)
        .map((path) => bodyOf(api, path)),
    );

  it('is hidden by another process at once, ends, and leaves views that a rebuild does not change', async () => {
    const [one, other] = nodes;
    const text = `canary-${randomUUID()}`;
    const project = await givenProject(one.owner);
    const main = { metadata: { branch: 'main', commit: 'c0ffee' } };
    const items = [{ name: 'is steady' }, { name: 'breaks', status: 'failed', error_message: 'no card' }];
    const { run: before } = await givenSubmission(one.owner, project, items, main);
    const { test_run_id: run } = await givenRun(one.owner, project, { label: text, ...main });
    const failure = { test_run_id: run, test_name: text, status: 'Failed', metadata: { note: text } };
    const { test_result_id: id } = await givenResult(one.owner, project, failure);
    const { artifact_id } = await givenArtifact(one.owner, id, `log of ${text}`);
    const lost = [{ name: 'is steady', status: 'failed', error_message: text }];
    const { run: submitted, results } = await givenSubmission(one.owner, project, lost, {
      ...main,
      label: text,
    });
    const { run: after } = await givenSubmission(one.owner, project, items, main);
    const download = `/v1/test/artifact/${artifact_id}/download`;
    const { download_url } = await bodyOf(other.owner, download);
    expect(await (await fetch(download_url)).text()).to.contain(text);
    expect(JSON.stringify(await told(other.owner, project))).to.contain(text);
    expect(JSON.stringify(await allEvents(other.owner))).to.contain(text);

    const paths = [
      `/v1/test-runs/${run}`,
      `/v1/test-runs/${submitted}`,
      `/v1/test-runs/${submitted}/results`,
      `/v1/test-results/${id}`,
      `/v1/test-results/${results[0]}`,
      download,
    ];
    for (const each of [run, submitted])
      expect((await one.owner.delete(`/v1/test-runs/${each}?confirm=${each}`)).status).to.equal(202);
    for (const path of paths)
      await until(`${path} to be unknown`, async () => {
        const { status } = await other.owner.getOnce(path);
        // While the read models are behind, what is missing may only be late.
        expect(status, path).to.be.oneOf([404, 503]);
        return status === 404;
      });
    expect(JSON.stringify(await told(other.owner, project))).not.to.contain(text);
    expect(JSON.stringify(await allEvents(other.owner))).not.to.contain(text);

    await until('the file to be gone', async () => (await fetch(download_url)).status === 404, ERASED_MS);
    await until(
      'the counts to be without it',
      async () => {
        const { data } = await bodyOf(other.owner, `/v1/test-runs?project_id=${project}`);
        return data.map((each: any) => each.id).join() === [after, before].join();
      },
      ERASED_MS,
    );
    const live = await told(other.owner, project);
    expect((await given.cli(['rebuild']).ended).code).to.equal(0);
    for (const node of nodes) {
      await node.caughtUp();
      expect(await told(node.owner, project)).to.deep.equal(live);
      for (const path of paths) expect((await node.owner.get(path)).status, path).to.equal(404);
    }
  });
});
