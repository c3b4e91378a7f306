import { expect } from 'chai';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../kit/client.js';
import { givenArtifact, givenProject, givenResult, givenSubmission } from '../http/given.js';
import { isGone, servers, until, type RunningServer } from '../kit/process.js';

const WRITERS = 6;

/** Everything that one writer got an answer for. */
type Written = {
  /** The ids of results. */
  results: Set<string>;
  /** The ids of runs that were submitted whole. */
  runs: Set<string>;
  /** The ids of confirmed artifacts that were not deleted. */
  artifacts: Set<string>;
};

describe('the process: a backup while the server writes', () => {
  const given = servers();
  const backup = () => join(given.folder, 'backup');
  const env = () => ({ DATA_DIR: join(given.folder, 'data') });

  it('restores to a server that has all that was answered before it, with the bytes of every listed artifact', async () => {
    const server = await given.start({ env: env() });
    const project = await givenProject(server.owner);
    const written = writing(server, project);
    await until('some writes', () => written.now().artifacts.size > 20 && written.now().runs.size > 3);
    const before = written.now();

    const run = given.cli(['backup', backup()], { env: env() });
    expect((await run.ended).code, run.stderr() + run.stdout()).to.equal(0);
    expect(run.stderr()).to.include('events.sqlite: ');
    expect(run.stdout()).to.equal(`done: ${backup()}\n`);
    const during = written.now();
    const uploaded = [...during.artifacts].filter((id) => !before.artifacts.has(id));
    expect(uploaded, 'uploads went on').to.not.deep.equal([]);
    await written.stop();
    await server.kill();

    expect((await readdir(backup())).sort()).to.deep.equal([
      'blobs',
      'events.sqlite',
      'secret.key',
      'state.sqlite',
    ]);
    for (const [name, mode] of [
      ['.', 0o700],
      ['events.sqlite', 0o600],
      ['state.sqlite', 0o600],
      ['secret.key', 0o600],
    ] as const) {
      expect((await stat(join(backup(), name))).mode & 0o777, name).to.equal(mode);
    }
    const restored = join(given.folder, 'restored');
    await cp(backup(), restored, { recursive: true });
    const next = await given.start({ env: { DATA_DIR: restored } });
    await next.caughtUp();
    for (const id of before.results) await expectStatus(next.owner, `/v1/test/result/${id}`, 200);
    for (const id of before.runs) await expectStatus(next.owner, `/v1/test/run/${id}`, 200);
    const listed = await artifactsOf(next.owner, during.results);
    const ids = listed.map(({ artifact_id }) => artifact_id);
    const kept = [...before.artifacts].filter((id) => during.artifacts.has(id));
    expect(
      kept.filter((id) => !ids.includes(id)),
      'artifacts that are gone',
    ).to.deep.equal([]);
    for (const { artifact_id, label } of listed) {
      const { body } = await next.owner.get(`/v1/test/artifact/${artifact_id}/download`);
      const file = await fetch(body.download_url);
      expect(file.status, `the bytes of ${artifact_id}`).to.equal(200);
      expect(sha256(Buffer.from(await file.arrayBuffer()))).to.equal(label);
    }
    // It goes on.
    const { test_result_id } = await givenResult(next.owner, project);
    await givenArtifact(next.owner, test_result_id);
    expect(await artifactsOf(next.owner, new Set([test_result_id]))).to.have.length(1);
  });

  it('refuses a folder that holds anything, and changes nothing in it', async () => {
    await (await given.start({ env: env() })).stop();
    await mkdir(backup());
    await writeFile(join(backup(), 'note'), 'an earlier one');
    const run = given.cli(['backup', backup()], { env: env() });
    expect((await run.ended).code).to.equal(1);
    expect(run.stderr()).to.match(/^testledger backup: the folder .* is not empty/);
    expect(await readdir(backup())).to.deep.equal(['note']);
  });

  it('ends with 1 and names the artifact, where the bytes of a listed artifact are lost', async () => {
    const server = await given.start({ env: env() });
    const project = await givenProject(server.owner);
    const { test_result_id } = await givenResult(server.owner, project);
    const { artifact_id } = await givenArtifact(server.owner, test_result_id);
    await givenArtifact(server.owner, test_result_id);
    const blobs = join(given.folder, 'data', 'blobs');
    const place = (await readdir(blobs, { recursive: true })).find((name) => name.endsWith(artifact_id));
    await rm(join(blobs, place!), { recursive: true });
    const run = given.cli(['backup', backup()], { env: env() });
    expect((await run.ended).code).to.equal(1);
    expect(run.stdout(), run.stdout()).to.include(
      `1 listed artifacts have no bytes, on the server either: ${artifact_id}`,
    );
    expect(await readdir(backup())).to.include('events.sqlite');
  });

  it('refuses a log on a server', async () => {
    const shared = {
      EVENTS_URL: 'esdb://events.example',
      BLOBS_URL: 'file:/srv/files',
      SECRET_KEY: 'x'.repeat(32),
    };
    const run = given.cli(['backup', backup()], { env: { ...env(), ...shared } });
    expect((await run.ended).code).to.equal(1);
    expect(run.stderr()).to.match(/^testledger backup: esdb:\/\/events\.example is on a server/);
  });
});

/** Writes results, artifacts and whole runs, and deletes artifacts, until it is stopped. */
function writing(server: RunningServer, project: string): { now(): Written; stop(): Promise<void> } {
  const written: Written = { results: new Set(), runs: new Set(), artifacts: new Set() };
  let stopped = false;
  const writers = Array.from({ length: WRITERS }, async (_, n) => {
    const { owner } = server;
    for (let step = 0; !stopped; step += 1) {
      const { test_result_id } = await givenResult(owner, project);
      written.results.add(test_result_id);
      const bytes = randomUUID().repeat(50);
      const { artifact_id } = await givenArtifact(owner, test_result_id, bytes, { label: sha256(bytes) });
      written.artifacts.add(artifact_id);
      if (step % 3 === 0) {
        written.artifacts.delete(artifact_id);
        expect((await owner.delete(`/v1/test/artifact/${artifact_id}`)).status).to.equal(200);
      }
      if (n === 0) written.runs.add((await givenSubmission(owner, project, [{}, {}, {}])).run);
    }
  });
  const done = Promise.all(writers).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
  return {
    now: () => ({
      results: new Set(written.results),
      runs: new Set(written.runs),
      artifacts: new Set(written.artifacts),
    }),
    stop: async () => {
      stopped = true;
      await done;
    },
  };
}

async function artifactsOf(
  owner: Api,
  results: ReadonlySet<string>,
): Promise<{ artifact_id: string; label: string }[]> {
  const lists = [];
  for (const id of results) {
    const { status, body } = await owner.get(`/v1/test/artifact/?test_result_id=${id}`);
    expect(status).to.be.oneOf([200, 404]);
    if (status === 200) lists.push(...body.items);
  }
  return lists;
}

async function expectStatus(owner: Api, path: string, status: number): Promise<void> {
  expect((await owner.get(path)).status, path).to.equal(status);
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
