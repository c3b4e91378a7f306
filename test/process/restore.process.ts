import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { filesIn } from '../kit/files-in.js';
import { servers, until } from '../kit/process.js';

const reason = 'a key was in the log';

/** One of everything that can be forgotten, each with a text of its own. */
async function givenThings(api: Api, project: string) {
  const canary = () => `canary-${randomUUID()}`;
  const texts = {
    result: canary(),
    deleted: canary(),
    run: canary(),
    text: canary(),
    purged: canary(),
    project: canary(),
  };
  const failed = (text: string, fields: object = {}) =>
    givenResult(api, project, {
      status: 'Failed',
      metadata: { note: text, error: { message: text, stack: `at ${text}` } },
      ...fields,
    });
  const ids = { result: '', deleted: '', run: '', purged: '', project: '' };
  ids.result = (await failed(texts.result)).test_result_id;
  await givenArtifact(api, ids.result, `log of ${texts.result}`);
  ids.deleted = (await failed(texts.deleted)).test_result_id;
  for (const name of ['run', 'purged'] as const) {
    const text = texts[name];
    const label = { label: text, metadata: { branch: 'main', note: text } };
    ids[name] = (await givenRun(api, project, label)).test_run_id;
    const own = await failed(text, { test_run_id: ids[name] });
    await givenArtifact(api, own.test_result_id, `log of ${text}`);
  }
  const { text } = texts;
  const { test_run_id: run } = await givenRun(api, project, {
    label: text,
    metadata: { branch: 'main', note: text },
  });
  const named = await failed(text, { test_run_id: run, test_name: `pays with ${text}` });
  await givenArtifact(api, named.test_result_id, `log of ${text}`, {
    label: text,
    content_type: 'text/plain',
    kind: 'Log',
  });
  const items = [{ name: `item ${text}`, status: 'failed', error_message: text }, { name: 'other' }];
  await givenSubmission(api, project, items, { label: text });
  ids.project = await givenProject(api, { name: `Project ${texts.project}` });
  await givenRun(api, ids.project, { label: texts.project });
  return { texts, ids };
}

describe('the process: testledger restore', () => {
  const given = servers();

  it('forgets in an older backup what was forgotten since, so that no page shows it and no file has it', async () => {
    const env = { DATA_DIR: join(given.folder, 'data') };
    const server = await given.start({ env });
    const { owner } = server;
    const project = await givenProject(owner);
    const { texts, ids } = await givenThings(owner, project);
    const stays = `stays-${randomUUID()}`;
    const { test_result_id: other } = await givenResult(owner, project, { metadata: { note: stays } });
    const backup = join(given.folder, 'backup');
    expect((await given.cli(['backup', backup], { env }).ended).code).to.equal(0);

    const expectStatus = async (answer: Promise<{ status: number; text: string }>, status: number) =>
      expect((await answer).status, (await answer).text).to.equal(status);
    await expectStatus(owner.post(`/v1/test-results/${ids.result}/redact`, { reason }), 200);
    await expectStatus(owner.delete(`/v1/test/result/${ids.deleted}`), 200);
    await expectStatus(owner.post(`/v1/test-runs/${ids.run}/redact`, { reason }), 200);
    const begun = await owner.post('/v1/redactions', { text: texts.text, reason });
    const path = `/v1/redactions/${begun.body.data.id}`;
    await until('the text is redacted', async () => (await bodyOf(owner, path)).data.state === 'done');
    await expectStatus(owner.delete(`/v1/test-runs/${ids.purged}?confirm=${ids.purged}`), 202);
    const name = encodeURIComponent(`Project ${texts.project}`);
    await expectStatus(owner.delete(`/v1/projects/${ids.project}?confirm=${name}`), 202);
    const listed = await owner.get('/v1/audit/forgotten');
    for (const text of Object.values(texts)) expect(listed.text).not.to.contain(text);
    const file = join(given.folder, 'forgotten.jsonl');
    await writeFile(file, listed.text);
    await server.kill();

    const restored = { DATA_DIR: join(given.folder, 'restored') };
    await cp(backup, restored.DATA_DIR, { recursive: true });
    for (const text of Object.values(texts)) expect(await filesIn(backup, text)).not.to.deep.equal([]);
    const restore = given.cli(['restore', '--forgotten', file], { env: restored });
    expect((await restore.ended).code, restore.stderr() + restore.stdout()).to.equal(0);
    const next = await given.start({ env: restored });
    await next.caughtUp();
    const shown = [
      JSON.stringify(await allEvents(next.owner)),
      ...(await Promise.all(
        [
          `/v1/projects/${project}/tests`,
          `/v1/projects/${project}/failures`,
          `/v1/test-runs?project_id=${project}`,
          `/v1/test/result/?project_id=${project}`,
          '/v1/projects',
        ].map(async (one) => (await next.owner.get(one)).text),
      )),
    ].join();
    for (const [what, text] of Object.entries(texts)) expect(shown, what).not.to.contain(text);
    await expectStatus(next.owner.get(`/v1/test-runs/${ids.purged}`), 404);
    await expectStatus(next.owner.get(`/v1/projects/${ids.project}`), 404);
    await expectStatus(next.owner.get(`/v1/test-results/${ids.deleted}`), 404);
    for (const [what, text] of Object.entries(texts))
      await until(
        `no byte is left of ${what}`,
        async () => (await filesIn(restored.DATA_DIR, text)).length === 0,
      );
    expect((await bodyOf(next.owner, `/v1/test-results/${other}`)).data.metadata).to.deep.equal({
      note: stays,
    });
    await next.stop();
    const again = given.cli(['restore', '--forgotten', file, '--json'], { env: restored });
    expect((await again.ended).code, again.stderr()).to.equal(0);
    expect(JSON.parse(again.stdout()).forgotten).to.equal(0);
  });

  it('refuses a file that is something else, a folder without a ledger, and one with a server', async () => {
    const file = join(given.folder, 'wrong.jsonl');
    await writeFile(file, '{"team":"team_1"}\n');
    const run = async (args: string[]) => {
      const cli = given.cli(['restore', ...args]);
      return { code: (await cli.ended).code, text: cli.stderr() };
    };
    expect((await run(['--forgotten', file])).text).to.contain(
      'wrong.jsonl:1 is no line of GET /v1/audit/forgotten',
    );
    await writeFile(file, '');
    expect((await run(['--forgotten', file])).text).to.contain('there is no ledger');
    await given.start();
    expect((await run(['--forgotten', file])).text).to.contain('Stop the server first');
  });
});
