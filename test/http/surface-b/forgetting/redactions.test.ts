import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { receiver, receiving } from '../../../process/webhooks/receiver.js';
import type { Answer } from '../../../kit/client.js';
import { ownServer } from '../../../kit/server.js';
import { until } from '../../../kit/process.js';
import { allEvents } from '../../events.js';
import { CANARY, givenEveryKind, metadata } from '../../given.contents.js';
import {
  bodyOf,
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
} from '../../given.js';
import { instant } from '../../records.js';

const reason = 'a key was in the log';
const expectStatus = (answer: Answer, status: number) => expect(answer.status, answer.text).to.equal(status);

describe('surface B: redaction', () => {
  const server = ownServer(receiving);
  const hooks = receiver();
  const team = givenTeamWithProject(server, 'each test');
  const redact = (path: string, body: object = { reason }) => team.owner.post(`/v1${path}/redact`, body);

  /** All that a client may read of these things, as text. */
  async function shown(results: readonly string[], runs: readonly string[]): Promise<string> {
    const paths = [
      ...results.flatMap((id) => [
        `/v1/test-results/${id}`,
        `/v1/test-results/${id}/history`,
        `/v1/test/result/${id}`,
      ]),
      ...runs.flatMap((id) => [
        `/v1/test-runs/${id}`,
        `/v1/test/run/${id}`,
        `/v1/test-runs/${id}/results`,
        `/v1/test-runs/${id}/history`,
        `/v1/test-runs/${id}/failures`,
        `/v1/test/result/?test_run_id=${id}`,
      ]),
      `/v1/test-runs?project_id=${team.project}`,
      `/v1/projects/${team.project}/failures`,
      `/v1/projects/${team.project}/overview`,
    ];
    const answers = await Promise.all(paths.map((path) => team.owner.get(path)));
    for (const answer of answers) expectStatus(answer, 200);
    return answers.map(({ text }) => text).join('\n') + JSON.stringify(await allEvents(team.owner));
  }

  it('of a result takes its contents and artifacts, and says when, who, why and what', async () => {
    const { test_result_id: id } = await givenResult(team.owner, team.project, {
      status: 'Failed',
      metadata,
    });
    const artifact = await givenArtifact(team.owner, id);
    const answer = await redact(`/test-results/${id}`);
    expectStatus(answer, 200);
    expect(answer.body.data).to.have.all.keys('id', 'redacted_at');
    expect(answer.body.data.id).to.equal(id);
    expect(answer.body.data.redacted_at).to.match(instant);
    const again = await redact(`/test-results/${id}`, { reason: 'another' });
    expect([again.status, again.body]).to.deep.equal([200, answer.body]);
    const { data } = await bodyOf(team.owner, `/v1/test-results/${id}`);
    expect(data).to.deep.include({
      contents: 'redacted',
      error_message: null,
      metadata: { file: metadata.file, owner: metadata.owner },
      status: 'failed',
    });
    expectStatus(await team.owner.get(`/v1/test/artifact/${artifact}/download`), 404);
    const events = await allEvents(team.owner);
    const redacted = events.filter(({ type }) => type === 'ResultRedacted');
    expect(redacted.map(({ data: { run_id: _, project_id: __, ...own } }: any) => own)).to.deep.equal([
      { result_id: id, reason, fields: ['metadata', 'artifacts'] },
    ]);
    expect(await shown([id], [])).not.to.contain(CANARY);
  });

  it('of a result hides it in every earlier event and answer, and refuses later changes', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const create = { project_id: team.project, test_name: 'pays', status: 'Running', metadata };
    const created = await team.owner.post('/v1/test/result/', create, key);
    expect(created.text).to.contain(CANARY);
    const id = created.body.test_result_id;
    const path = `/v1/test/result/${id}`;
    expectStatus(await team.owner.post(path, { status: 'Failed', error_message: CANARY }), 200);
    expectStatus(await redact(`/test-results/${id}`), 200);
    const repeated = await team.owner.post('/v1/test/result/', create, key);
    expect([repeated.status, repeated.body.test_result_id]).to.deep.equal([200, id]);
    expect(repeated.text).not.to.contain(CANARY);
    expect(await shown([id], [])).not.to.contain(CANARY);
    const changed = await team.owner.post(path, { error_message: 'new' });
    expect([changed.status, changed.body.code]).to.deep.equal([409, 'redacted']);
    for (const end of ['start', 'finish']) expectStatus(await team.owner.post(`${path}/${end}`, {}), 409);
    expect(await shown([id], [])).not.to.contain(CANARY);
  });

  it('of a run takes its description, its results and artifacts, and again what came since', async () => {
    const { test_run_id: run } = await givenRun(team.owner, team.project, {
      label: `of ${CANARY}`,
      metadata: { branch: 'main', note: CANARY },
    });
    const posted = await givenResult(team.owner, team.project, {
      test_run_id: run,
      status: 'Failed',
      metadata,
    });
    const id = posted.test_result_id;
    await givenArtifact(team.owner, id);
    const first = await redact(`/test-runs/${run}`);
    expectStatus(first, 200);
    expect(await shown([id], [run])).not.to.contain(CANARY);
    expect((await redact(`/test-runs/${run}`)).body).to.deep.equal(first.body);
    const { data } = await bodyOf(team.owner, `/v1/test-runs/${run}`);
    expect(data).to.deep.include({ label: '[redacted]', metadata: { branch: 'main' } });
    expectStatus(await team.owner.post(`/v1/test/result/${id}`, { error_message: 'new' }), 409);
    const file = { test_result_id: id, label: 'Log', kind: 'Log', content_type: 'text/plain', size_bytes: 3 };
    const upload = await team.owner.post('/v1/test/artifact/', file);
    expect([upload.status, upload.body.code]).to.deep.equal([409, 'redacted']);

    const later = await givenResult(team.owner, team.project, {
      test_run_id: run,
      status: 'Failed',
      metadata,
    });
    expectStatus(await team.owner.post(`/v1/test/run/${run}`, { label: 'new' }), 204);
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data.label).to.equal('new');
    const second = await redact(`/test-runs/${run}`);
    expectStatus(second, 200);
    expect(second.body.data.redacted_at > first.body.data.redacted_at).to.equal(true);
    expect(await shown([id, later.test_result_id], [run])).not.to.contain(CANARY);
    const events = await allEvents(team.owner);
    const redacted = events.filter(({ type }) => type === 'RunRedacted');
    expect(redacted.map(({ data: { fields } }: any) => fields)).to.deep.equal([
      ['label', 'metadata', 'results', 'artifacts'],
      ['label', 'results'],
    ]);
  });

  it('of a run takes the results of submissions', async () => {
    const { run, submitted } = await givenEveryKind(team.owner, team.project);
    expectStatus(await redact(`/test-runs/${run}`), 200);
    const { data } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(data.map((each: any) => each.contents)).to.deep.equal(['redacted', 'redacted']);
    const changed = await team.owner.post(`/v1/test/result/${submitted}`, { error_message: 'new' });
    expect([changed.status, changed.body.code]).to.deep.equal([409, 'redacted']);
    const own = (await allEvents(team.owner)).filter(({ data }: any) => data.run_id === run);
    expect(JSON.stringify(own)).not.to.contain(CANARY);
  });

  it('makes the body of a webhook anew under the same id, and leaves it as it is without one', async () => {
    const webhook = await hooks.register(team.owner, ['test.failed']);
    const { test_run_id: run } = await givenRun(team.owner, team.project, { label: `of ${CANARY}` });
    const { test_result_id: id } = await givenResult(team.owner, team.project, {
      test_run_id: run,
      status: 'Failed',
      metadata,
    });
    // A resend of one that is not recorded yet would send nothing.
    const delivered = async () =>
      (await bodyOf(team.owner, `/v1/webhooks/${webhook}/deliveries?state=delivered`)).data;
    const resend = async () => {
      await until('the one before is recorded', async () => (await delivered()).length === 1);
      const before = hooks.taken.length;
      const path = `/v1/webhooks/${webhook}/deliveries/${(await delivered())[0].id}/resend`;
      expectStatus(await team.owner.post(path), 202);
      await until('it is sent', () => hooks.taken.length === before + 1);
      return hooks.taken.at(-1)!;
    };
    const same = await resend();
    expect(same.body).to.equal(hooks.taken[0]!.body);
    expect(same.body).to.contain(CANARY);
    expectStatus(await redact(`/test-results/${id}`), 200);
    const redacted = await resend();
    expect(redacted.id).to.equal(same.id);
    expect(redacted.data.result).to.deep.include({ test_result_id: id, test_run_label: `of ${CANARY}` });
    expect(JSON.stringify(redacted.data.result.metadata)).not.to.contain(CANARY);
    expectStatus(await redact(`/test-runs/${run}`), 200);
    const last = await resend();
    expect(last.id).to.equal(same.id);
    expect(last.body).not.to.contain(CANARY);
  });

  it('of a text finds it in contents, names, labels, metadata and artifacts, and takes it out of all', async () => {
    const text = `canary-${randomUUID()}`;
    const { test_run_id: run } = await givenRun(team.owner, team.project, {
      label: `of ${text}`,
      metadata: { branch: 'main', note: { [text]: `a ${text} b` } },
    });
    const posted = await givenResult(team.owner, team.project, {
      test_run_id: run,
      test_name: `pays with ${text}`,
      status: 'Failed',
      metadata: { file: 'pay.test.ts', error: { message: `declined ${text}` } },
    });
    const id = posted.test_result_id;
    const other = await givenResult(team.owner, team.project, { metadata: { note: 'another' } });
    await givenArtifact(team.owner, id, `log of ${text}`, { content_type: 'text/plain', kind: 'Log' });
    const items = [
      { name: `item ${text}`, status: 'failed', error_message: text, metadata: { owner: text } },
    ];
    const { run: whole, results } = await givenSubmission(team.owner, team.project, items, { label: text });
    const tests = (await bodyOf(team.owner, `/v1/projects/${team.project}/tests`)).data;
    const ids = tests.map((test: any) => test.id).sort();
    expect(await shown([id, ...results], [run, whole])).to.contain(text);

    const ask = (fields: object = {}) => team.owner.post('/v1/redactions', { text, reason, ...fields });
    const places = await ask({ dry_run: true });
    expectStatus(places, 200);
    expect(places.body.data.complete).to.equal(true);
    const fields = new Set(places.body.data.places.map((place: any) => `${place.type} ${place.field}`));
    for (const field of [
      'run label',
      'run metadata',
      'result test_name',
      'result error_message',
      'result metadata',
      'artifact content',
    ])
      expect([...fields], field).to.include(field);
    expect(await shown([id], [run])).to.contain(text);

    const begun = await ask();
    expectStatus(begun, 202);
    const path = `/v1/redactions/${begun.body.data.id}`;
    await until('it is done', async () => (await bodyOf(team.owner, path)).data.state === 'done');
    const { data } = await bodyOf(team.owner, path);
    expect(data.places).to.equal(places.body.data.total);
    expect(data.done).to.equal(data.places);
    const after = await shown([id, ...results], [run, whole]);
    expect(after).not.to.contain(text);
    expect((await ask({ dry_run: true })).body.data.total).to.equal(0);
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data).to.deep.include({
      label: 'of [redacted]',
      metadata: { branch: 'main', note: { '[redacted]': 'a [redacted] b' } },
    });
    const left = (await bodyOf(team.owner, `/v1/projects/${team.project}/tests`)).data;
    expect(left.map((test: any) => test.id).sort()).to.deep.equal(ids);
    expect(left.map((test: any) => test.name)).to.include('pays with [redacted]');
    expect(ids).to.include((await bodyOf(team.owner, `/v1/test-results/${id}`)).data.test_id);
    expect((await bodyOf(team.owner, `/v1/test-results/${other.test_result_id}`)).data.contents).to.equal(
      'kept',
    );
    const [event] = (await allEvents(team.owner)).filter(({ type }) => type === 'TextRedacted');
    expect(event!.data.reason).to.equal(reason);
    const [told] = (await bodyOf(team.owner, '/v1/audit?type=redacted')).data;
    expect(told.text).to.match(/^The key ".+" redacted a text\.$/);
    expect(told.subject.id).to.equal(event!.data.redaction_id);
    // New text is new.
    expectStatus(await team.owner.post(`/v1/test/run/${run}`, { label: text }), 204);
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data.label).to.equal(text);
  });

  it('of a text hides it from the answer on, in every answer, stream and table, and for its team alone', async () => {
    const text = `canary "${randomUUID()}"`;
    const other = await server.newTeam();
    const theirs = await givenRun(other.owner, await givenProject(other.owner), { label: text });
    const { test_run_id: run } = await givenRun(team.owner, team.project, { label: text });
    const { test_result_id: id } = await givenResult(team.owner, team.project, {
      test_run_id: run,
      test_name: `pays with ${text}`,
      status: 'Failed',
      metadata: { owner: text, note: text, error: { message: text } },
    });
    const { run: whole } = await givenSubmission(
      team.owner,
      team.project,
      [{ name: text, error_message: text }],
      {
        label: text,
      },
    );
    const forms = [text, JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""')];
    const all = async () => {
      const table = await team.owner.get('/v1/exports/results?contents=true');
      return (await shown([id], [run, whole])) + table.text;
    };
    const before = await all();
    for (const form of forms.slice(1)) expect(before).to.contain(form);
    expectStatus(await team.owner.post('/v1/redactions', { text, reason }), 202);
    const after = await all();
    for (const form of forms) expect(after).not.to.contain(form);
    expect((await bodyOf(other.owner, `/v1/test-runs/${theirs.test_run_id}`)).data.label).to.equal(text);
  });

  it('of a text keeps to a project, to the team and to texts of at least 6 characters', async () => {
    const text = `canary-${randomUUID()}`;
    const elsewhere = await givenProject(team.owner);
    const here = await givenRun(team.owner, team.project, { label: text });
    const there = await givenRun(team.owner, elsewhere, { label: text });
    const ask = (fields: object) => team.owner.post('/v1/redactions', { text, reason, ...fields });
    expectStatus(await ask({ text: '12345' }), 400);
    expectStatus(await ask({ reason: `${text} was in the log` }), 400);
    expectStatus(await ask({ project_id: (await server.newTeam()).id.replace('team', 'project') }), 404);
    const begun = await ask({ project_id: team.project });
    const path = `/v1/redactions/${begun.body.data.id}`;
    expectStatus(await (await server.newTeam()).owner.get(path), 404);
    await until('it is done', async () => (await bodyOf(team.owner, path)).data.state === 'done');
    const labelOf = async ({ test_run_id: id }: any) =>
      (await bodyOf(team.owner, `/v1/test-runs/${id}`)).data.label;
    expect([await labelOf(here), await labelOf(there)]).to.deep.equal(['[redacted]', text]);
  });

  it('is for admins, of things that they see, and needs a reason', async () => {
    const { test_result_id: id } = await givenResult(team.owner, team.project, { metadata });
    const member = server.as(await givenKey(team.owner, 'member'));
    expectStatus(await member.post(`/v1/test-results/${id}/redact`, { reason }), 403);
    const other = (await server.newTeam()).owner;
    expectStatus(await other.post(`/v1/test-results/${id}/redact`, { reason }), 404);
    expectStatus(await redact(`/test-results/${id}`, {}), 400);
    expect((await bodyOf(team.owner, `/v1/test-results/${id}`)).data.contents).to.equal('kept');
  });
});
