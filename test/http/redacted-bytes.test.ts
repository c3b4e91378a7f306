import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openBackupSources } from '../../src/adapters/open-copies.js';
import { filesIn } from '../kit/files-in.js';
import { until } from '../kit/process.js';
import { ownServer } from '../kit/server.js';
import {
  bodyOf,
  givenArtifact,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
} from './given.js';

describe('the bytes of what is redacted or purged, in files', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');

  const filesWith = (text: string, dataDir = server.config.dataDir) => filesIn(dataDir, text);

  it('are gone from every file of the folder within 60 s, write-ahead logs too, and no new backup has them', async () => {
    const text = `canary-${randomUUID()}`;
    const long = `${text} ${'long text '.repeat(800)}`;
    // Events of one team and type are stored by what differs from others: some before it, some after it.
    for (const label of ['one', text, 'two', `${text} again`, 'three'])
      await givenRun(team.owner, team.project, {
        label,
        metadata: { branch: 'main', note: `${label} ${text}` },
      });
    const { test_run_id: run } = await givenRun(team.owner, team.project, { label: text });
    const key = { 'Idempotency-Key': randomUUID() };
    const body = {
      project_id: team.project,
      test_run_id: run,
      test_name: text,
      status: 'Failed',
      metadata: { note: long },
    };
    const { test_result_id: id } = (await team.owner.post('/v1/test/result/', body, key)).body;
    await givenResult(team.owner, team.project, {
      test_name: `${text} too`,
      metadata: { error: { message: text } },
    });
    await givenArtifact(team.owner, id, `log of ${text}`, { content_type: 'text/plain', kind: 'Log' });
    const items = Array.from({ length: 300 }, (_, n) => ({
      name: `${text} ${n}`,
      status: 'failed',
      error_message: text,
    }));
    await givenSubmission(team.owner, team.project, items, { label: text });
    // As an import makes it: then its call holds what it says, and not the run.
    const call = [{ name: 'pays', status: 'failed', error_message: `declined ${text}` }];
    await givenSubmission(team.owner, team.project, call, { run_key: 'build 1', complete: true });
    expect(await filesWith(text)).to.include(join(server.config.dataDir, 'events.sqlite-wal'));
    const { data } = (await team.owner.post('/v1/redactions', { text, reason: 'a key was in the log' })).body;
    const path = `/v1/redactions/${data.id}`;
    await until('it is done', async () => (await bodyOf(team.owner, path)).data.state === 'done', 60_000);
    await until('the bytes are gone', async () => (await filesWith(text)).length === 0, 60_000);
    const copy = await mkdtemp(join(tmpdir(), 'testledger-copy-'));
    const sources = openBackupSources(server.config);
    await sources.copyState(copy);
    await sources.copyLog(copy);
    expect(await filesWith(text, copy)).to.deep.equal([]);
    await rm(copy, { recursive: true });
    await server.stop();
    try {
      expect(await filesWith(text)).to.deep.equal([]);
    } finally {
      await server.start();
    }
    // The log is whole: every event is read and folded again.
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data.label).to.equal('[redacted]');
  });

  for (const what of ['run', 'project'] as const)
    it(`of a purged ${what} are gone from every file of the folder within 60 s, and others' stay`, async () => {
      const text = `canary-${randomUUID()}`;
      const project = await givenProject(team.owner, { name: what === 'run' ? 'A shop' : `Shop ${text}` });
      const label = { label: text, metadata: { branch: text, note: text } };
      const { test_run_id: run } = await givenRun(team.owner, project, { ...label, run_key: text });
      const failure = {
        test_name: `pays with ${text}`,
        status: 'Failed',
        metadata: { note: text, error: { message: text } },
      };
      const { test_result_id: id } = await givenResult(team.owner, project, { ...failure, test_run_id: run });
      await givenArtifact(team.owner, id, `log of ${text}`, { label: text });
      const items = Array.from({ length: 300 }, (_, n) => ({
        name: `${text} ${n}`,
        status: 'failed',
        error_message: text,
      }));
      const submitted = await givenSubmission(team.owner, project, items, label);
      // A badge belongs to its project, and outlives a run.
      if (what === 'project') await team.owner.post(`/v1/projects/${project}/badges`, { branch: text });
      const stays = `other-${randomUUID()}`;
      await givenResult(team.owner, team.project, {
        status: 'Failed',
        metadata: { error: { message: stays } },
      });
      // In the log or in its write-ahead log: what the test before erased may have emptied the latter just now.
      expect((await filesWith(text)).map((file) => basename(file)).join()).to.match(/events\.sqlite/);
      const things =
        what === 'run'
          ? [run, submitted.run].map((one) => `/v1/test-runs/${one}?confirm=${one}`)
          : [`/v1/projects/${project}?confirm=${encodeURIComponent(`Shop ${text}`)}`];
      for (const path of things) expect((await team.owner.delete(path)).status).to.equal(202);
      await until('the bytes are gone', async () => (await filesWith(text)).length === 0, 60_000);
      expect(await filesWith(stays)).not.to.deep.equal([]);
    });
});
