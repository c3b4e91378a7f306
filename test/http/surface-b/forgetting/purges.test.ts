import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { receiver, receiving } from '../../../process/webhooks/receiver.js';
import { loadSchemas } from '../../../../src/validation/schemas.js';
import type { Answer } from '../../../kit/client.js';
import { ownServer } from '../../../kit/server.js';
import { until } from '../../../kit/process.js';
import { allEvents } from '../../events.js';
import { CANARY, metadata } from '../../given.contents.js';
import {
  bodyOf,
  currentPage,
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
  givenWebhook,
} from '../../given.js';
import { expectError, expectRefused } from '../../refusals.js';

/** An answer waits for the rebuild of the counts for up to 15 s. */
const REBUILT_WITHIN_MS = 14_900;
const onMain = { metadata: { branch: 'main', commit: 'c0ffee' } };
const expectStatus = (answer: Answer, status: number) => expect(answer.status, answer.text).to.equal(status);

describe('surface B: deleting for good', () => {
  const server = ownServer(receiving);
  const hooks = receiver();
  const team = givenTeamWithProject(server, 'each test');
  /** Whether an answer came before the counts were right: on a busy machine the rebuild may take longer. */
  let isLate = false;
  beforeEach(() => void (isLate = false));
  const purged = async (path: string, confirm: string) => {
    const began = performance.now();
    const answer = await team.owner.delete(`${path}?confirm=${encodeURIComponent(confirm)}`);
    isLate ||= performance.now() - began >= REBUILT_WITHIN_MS;
    expectStatus(answer, 202);
    return answer;
  };
  const untilCounted = async (what: string, isRight: () => Promise<boolean>) => {
    if (isLate) await until(what, isRight);
  };
  const purgedRun = (run: string) => purged(`/v1/test-runs/${run}`, run);

  /** A run with everything that a run may have. */
  async function givenWholeRun(project: string, key?: string) {
    const { test_run_id: run } = await givenRun(team.owner, project, {
      label: `of ${CANARY}`,
      metadata: { ...onMain.metadata, note: CANARY },
      ...(key !== undefined && { run_key: key }),
    });
    const result = { test_run_id: run, test_name: `pays with ${CANARY}`, status: 'Failed', metadata };
    const { test_result_id: id } = await givenResult(team.owner, project, result);
    await givenResult(team.owner, project, { test_run_id: run, test_name: 'is steady' });
    const artifact = await givenArtifact(team.owner, id, `log of ${CANARY}`);
    expectStatus(await team.owner.post(`/v1/test/run/${run}`, { status: 'Completed' }), 204);
    return { run, id, artifact: artifact.artifact_id as string };
  }

  /** What is said of a project, by names and counts: ids and instants differ from project to project. */
  async function told(project: string): Promise<string> {
    const paths = ['overview', 'tests', 'failures'].map((part) => `/v1/projects/${project}/${part}`);
    const lists = [...paths, `/v1/test-runs?project_id=${project}`];
    const bodies = await Promise.all(lists.map((path) => bodyOf(team.owner, path)));
    return JSON.stringify(bodies)
      .replaceAll(/"(\w+)_[0-9a-z]{26}(_\d+)?"/g, '"$1"')
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"instant"')
      .replaceAll(/"[0-9a-f]{16,}"|"\d{20}"/g, '"id"')
      .replaceAll(/"(duration_ms|execution_time_ms)":\d+/g, '"$1":0');
  }

  it('asks for the run, project or team once more, and is for owners', async () => {
    const { test_run_id: run } = await givenRun(team.owner, team.project);
    const { name } = (await bodyOf(team.owner, `/v1/projects/${team.project}`)).data;
    for (const [path, wanted] of [
      [`/v1/test-runs/${run}`, run],
      [`/v1/projects/${team.project}`, name],
      ['/v1/team', (await bodyOf(team.owner, '/v1/team')).data.name],
    ])
      for (const confirm of ['', '?confirm=', '?confirm=another']) {
        const answer = await team.owner.delete(`${path}${confirm}`);
        expectError(answer, 400, 'invalid_request', 'validation_failed');
        expect(answer.text).to.contain(wanted);
      }
    const admin = server.as(await givenKey(team.owner, 'admin'));
    expectStatus(await admin.delete(`/v1/test-runs/${run}?confirm=${run}`), 403);
    const other = (await server.newTeam()).owner;
    expectStatus(await other.delete(`/v1/test-runs/${run}?confirm=${run}`), 404);
    expectStatus(await team.owner.get(`/v1/test-runs/${run}`), 200);
  });

  it('of a run leaves a project as if the run had never been', async () => {
    const twin = await givenProject(team.owner);
    const runs: string[] = [];
    for (const project of [team.project, twin]) {
      const items = [{ name: 'is steady' }, { name: 'breaks', status: 'failed', error_message: 'no card' }];
      await givenSubmission(team.owner, project, items, onMain);
      if (project === team.project) {
        runs.push((await givenWholeRun(project)).run);
        const lost = [
          { name: 'is steady', status: 'failed', error_message: CANARY, metadata: { note: CANARY } },
        ];
        runs.push((await givenSubmission(team.owner, project, lost, onMain)).run);
      }
      await givenSubmission(team.owner, project, items, onMain);
    }
    expect(await told(team.project)).not.to.equal(await told(twin));
    for (const run of runs) await purgedRun(run);
    await untilCounted('both are alike', async () => (await told(team.project)) === (await told(twin)));
    expect(await told(team.project)).to.equal(await told(twin));
    const [last] = (await bodyOf(team.owner, `/v1/test-runs?project_id=${team.project}`)).data;
    const comparison = (await bodyOf(team.owner, `/v1/test-runs/${last.id}/comparison`)).data;
    expect(runs).not.to.include(comparison.baseline.id);
    // New results of a test whose history was shortened.
    for (const project of [team.project, twin])
      await givenSubmission(team.owner, project, [{ name: 'is steady', status: 'failed' }], onMain);
    expect(await told(team.project)).to.equal(await told(twin));
  });

  it('of a run makes its things 404 everywhere, and refuses writes with the reason', async () => {
    const { run, id, artifact } = await givenWholeRun(team.project);
    const link = (await team.owner.post(`/v1/test-runs/${run}/links`, {})).body.data;
    await purgedRun(run);
    for (const path of [
      `/v1/test-runs/${run}`,
      `/v1/test/run/${run}`,
      `/v1/test-runs/${run}/results`,
      `/v1/test-runs/${run}/history`,
      `/v1/test-runs/${run}/failures`,
      `/v1/test-runs/${run}/comparison`,
      `/v1/test-runs/${run}/links`,
      `/v1/test-results/${id}`,
      `/v1/test-results/${id}/history`,
      `/v1/test/result/${id}`,
      `/v1/test/result/?test_run_id=${run}`,
      `/v1/test/artifact/${artifact}/download`,
    ])
      expectRefused(await team.owner.get(path), path, 404, 'not_found');
    expectStatus(await team.owner.delete(`/v1/test-runs/${run}?confirm=${run}`), 404);
    const writes: [string, object][] = [
      [`/v1/test/run/${run}`, { label: 'new' }],
      [
        '/v1/test/result/',
        { project_id: team.project, test_run_id: run, test_name: 'new', status: 'Passed' },
      ],
      [`/v1/test/result/${id}`, { status: 'Passed' }],
      [`/v1/test-results/${id}/redact`, { reason: 'why' }],
    ];
    for (const [path, body] of writes) {
      const answer = await team.owner.post(path, body);
      expectStatus(answer, 404);
      expect(answer.text, path).to.match(/was deleted for good/);
    }
    const shared = await currentPage(link.url);
    expect(shared.status).to.equal(404);
    const exports = await Promise.all(['results', 'runs'].map((of) => team.owner.get(`/v1/exports/${of}`)));
    expect(exports.map(({ text }) => text).join()).not.to.contain(run);
  });

  it('of a run shows its events in the replay without texts, and tells of it in the audit', async () => {
    const before = await allEvents(team.owner);
    const { run } = await givenWholeRun(team.project);
    await givenSubmission(team.owner, team.project, [{ name: CANARY, metadata }], { label: CANARY });
    const items = (await allEvents(team.owner)).find(
      ({ type, data }: any) => type === 'RunCreated' && data.items,
    );
    const all = (await allEvents(team.owner)).slice(before.length);
    await purgedRun(run);
    await purgedRun(items!.data['run_id'] as string);
    const after = (await allEvents(team.owner)).slice(before.length);
    expect(after.slice(0, all.length).map(({ id, type, position }) => [id, type, position])).to.deep.equal(
      all.map(({ id, type, position }) => [id, type, position]),
    );
    // What follows from a run for its branch and its causes may come later than the run itself.
    const later = after.slice(all.length).map(({ type }) => type);
    const own = later.filter((type) => !/^(MainTurned|Group)/.test(type));
    expect(own).to.deep.equal(['RunPurged', 'RunPurged']);
    expect(JSON.stringify(after)).not.to.contain(CANARY);
    const gone = after.filter(({ data }: any) => data.contents === 'deleted').map(({ type }) => type);
    expect(new Set(gone)).to.include.all.keys(
      'RunCreated',
      'ResultCreated',
      'ResultSubmitted',
      'ArtifactCreated',
    );
    const schemas = loadSchemas('events');
    for (const { type, data } of after)
      expect(schemas.get(`${type}.v1`)!.check(data), type).to.deep.equal([]);
    const [told] = (await bodyOf(team.owner, '/v1/audit?type=purged')).data;
    expect(told.text).to.match(/^The key ".+" deleted a run for good, with all that was in it\.$/);
  });

  it('of a run lets its run key make a new run', async () => {
    const key = randomUUID();
    const { run } = await givenWholeRun(team.project, key);
    await purgedRun(run);
    const again = await givenRun(team.owner, team.project, { run_key: key, label: 'again' });
    expect(again.test_run_id).not.to.equal(run);
    const results = [{ name: 'new', status: 'passed' }];
    const body = { project_id: team.project, run_key: key, complete: true, results };
    const submitted = await team.owner.post('/v1/test-runs', body);
    expect(submitted.body.data.id).to.equal(again.test_run_id);
    expect((await bodyOf(team.owner, `/v1/test-runs/${again.test_run_id}`)).data.label).to.equal('again');
    expectStatus(await team.owner.get(`/v1/test-runs/${run}`), 404);
  });

  it('of a run sends no message that waits for it, nor repeats an answer that told of it', async () => {
    const webhook = await hooks.register(team.owner, ['test.failed']);
    const body = { project_id: team.project, label: CANARY };
    const key = { 'Idempotency-Key': randomUUID() };
    const { test_run_id: run } = (await team.owner.post('/v1/test/run/', body, key)).body;
    const failure = { test_run_id: run, status: 'Failed', metadata };
    await givenResult(team.owner, team.project, failure);
    await until('it is sent', () => hooks.taken.length === 1);
    const [delivery] = (await bodyOf(team.owner, `/v1/webhooks/${webhook}/deliveries`)).data;
    await purgedRun(run);
    await team.owner.post(`/v1/webhooks/${webhook}/deliveries/${delivery.id}/resend`);
    await givenResult(team.owner, team.project, { status: 'Failed', test_name: 'another' });
    await until('the next one is sent', () => hooks.taken.length > 1);
    expect(
      hooks.taken
        .slice(1)
        .map(({ body: sent }) => sent)
        .join(),
    ).not.to.contain(run);
    const repeated = await team.owner.post('/v1/test/run/', body, key);
    expectStatus(repeated, 404);
  });

  it('of a team takes all of its projects, and leaves keys, webhooks and other teams', async () => {
    const other = await server.newTeam();
    const theirs = await givenProject(other.owner);
    const projects = [team.project, await givenProject(team.owner)];
    const runs: string[] = [];
    for (const project of projects) runs.push((await givenWholeRun(project)).run);
    const webhook = await givenWebhook(team.owner);
    const { name } = (await bodyOf(team.owner, '/v1/team')).data;
    await purged('/v1/team', name);
    for (const each of projects
      .map((id) => `/v1/projects/${id}`)
      .concat(runs.map((id) => `/v1/test-runs/${id}`)))
      expectRefused(await team.owner.get(each), each, 404, 'not_found');
    const total = async () => (await bodyOf(team.owner, '/v1/projects')).pagination.total;
    await untilCounted('there is no project', async () => (await total()) === 0);
    expect(await total()).to.equal(0);
    expect(JSON.stringify(await allEvents(team.owner))).not.to.contain(CANARY);
    const audit = (await bodyOf(team.owner, '/v1/audit?type=purged')).data;
    expect(audit.map(({ subject }: any) => subject.id)).to.have.members(projects);
    expectStatus(await team.owner.get(`/v1/webhooks/${webhook.id}`), 200);
    expectStatus(await other.owner.get(`/v1/projects/${theirs}`), 200);
    // New things are new.
    await givenRun(team.owner, await givenProject(team.owner));
  });

  it('of a project makes it and all of its things 404, and leaves the others as they were', async () => {
    const twin = await givenProject(team.owner, { name: `Project ${CANARY}` });
    await givenSubmission(team.owner, team.project, [{ name: 'stays', status: 'failed' }], onMain);
    const before = await told(team.project);
    const { run, id } = await givenWholeRun(twin);
    const loose = await givenResult(team.owner, twin, { status: 'Failed', metadata });
    const badge = (await team.owner.post(`/v1/projects/${twin}/badges`, { branch: 'main' })).body.data;
    await purged(`/v1/projects/${twin}`, `Project ${CANARY}`);
    for (const path of [
      `/v1/projects/${twin}`,
      `/v1/projects/${twin}/overview`,
      `/v1/projects/${twin}/tests`,
      `/v1/projects/${twin}/failures`,
      `/v1/projects/${twin}/badges`,
      `/v1/test-runs?project_id=${twin}`,
      `/v1/test-runs/${run}`,
      `/v1/test-results/${id}`,
      `/v1/test-results/${loose.test_result_id}`,
    ])
      expectRefused(await team.owner.get(path), path, 404, 'not_found');
    const write = await team.owner.post('/v1/test/run/', { project_id: twin });
    expectStatus(write, 404);
    expect(write.text).to.match(/The project was deleted for good/);
    expect((await currentPage(badge.url)).status).to.equal(404);
    await untilCounted('the project is as before', async () => (await told(team.project)) === before);
    expect(await told(team.project)).to.equal(before);
    const { data } = await bodyOf(team.owner, '/v1/projects');
    expect(data.map((project: any) => project.id)).to.deep.equal([team.project]);
    expect(JSON.stringify(await allEvents(team.owner))).not.to.contain(CANARY);
    await givenProject(team.owner, { name: `Project ${CANARY}` });
  });
});
