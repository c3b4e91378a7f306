import { expect } from 'chai';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../kit/client.js';
import { givenProject, givenResult, newArtifact, uploaded } from '../http/given.js';
import { newSeed, randomFrom, type Random } from './seeded-random.js';
import { isGone, servers, until } from '../kit/process.js';

const ROUNDS = 6;
const WORKERS = 8;
/** Artifacts of every second start live for a short time. */
const env = (round: number) => ({
  UPLOAD_TTL: 'PT5S',
  ARTIFACT_TTL: round % 2 === 0 ? 'P30D' : 'PT8S',
});

describe('the process: kill -9 while artifacts come and go', () => {
  const given = servers();

  it('keeps the bytes of every visible artifact, and no others', async () => {
    const seed = newSeed();
    const random = randomFrom(seed);
    const results: string[] = [];
    const kept = new Set<string>();
    try {
      let server = await given.start({ env: env(0) });
      const project = await givenProject(server.owner);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { owner } = server;
        let [steps, killed] = [0, false];
        const enough = 100 + random.below(150);
        const workers = Array.from({ length: WORKERS }, async () => {
          const own = randomFrom(random.below(2 ** 31));
          try {
            for (;;) {
              await oneResult(
                owner,
                project,
                own,
                { results, kept, long: round % 2 === 0 },
                () => (steps += 1),
              );
            }
          } catch (error) {
            if (!killed || !isGone(error)) throw error;
          }
        });
        await Promise.race([until('enough is done', () => steps >= enough), Promise.all(workers)]);
        await pause(random.below(4));
        killed = true;
        await server.kill();
        await Promise.all(workers);
        server = await given.start({ env: env(round + 1) });
      }
      await server.caughtUp();
      await until(
        'all else is deleted',
        async () => sameAs(await onDisk(given.folder), await visible(server.owner)),
        60_000,
      );
      const seen = await visible(server.owner);
      expect(seen.length).to.be.above(10);
      for (const { artifact_id, label } of seen) {
        expect(sha256(await downloaded(server.owner, artifact_id))).to.equal(label);
      }
      const ids = seen.map(({ artifact_id }) => artifact_id);
      expect(
        [...kept].filter((id) => !ids.includes(id)),
        'confirmed and never deleted',
      ).to.deep.equal([]);
    } catch (error) {
      (error as Error).message += ` (TEST_SEED=${seed})`;
      throw error;
    }

    async function visible(owner: Api): Promise<Artifact[]> {
      const lists = results.map(async (id) => {
        const { status, body } = await owner.get(`/v1/test/artifact/?test_result_id=${id}`);
        expect(status).to.be.oneOf([200, 404]);
        return status === 404 ? [] : (body.items as Artifact[]);
      });
      return (await Promise.all(lists)).flat();
    }
  });
});

type Artifact = { artifact_id: string; label: string; size_bytes: number; expires_at: string };
type Made = { results: string[]; kept: Set<string>; long: boolean };

/** Creates a result with a few artifacts, each of which goes a random part of its way. */
async function oneResult(
  owner: Api,
  project: string,
  random: Random,
  { results, kept, long }: Made,
  step: () => void,
): Promise<void> {
  const { test_result_id } = await givenResult(owner, project);
  results.push(test_result_id);
  const own: string[] = [];
  for (let n = 1 + random.below(3); n > 0; n -= 1) {
    const bytes = randomUUID().repeat(1 + random.below(500));
    // The label is the hash of the bytes.
    const body = { ...newArtifact, test_result_id, label: sha256(bytes), size_bytes: bytes.length };
    const headers = { 'Idempotency-Key': randomUUID() };
    const announced = await owner.post('/v1/test/artifact/', body, headers);
    step();
    expect(announced.status, announced.text).to.equal(200);
    const { artifact_id, upload_url, upload_expires_at } = announced.body;
    // A busy machine may take longer than the upload URLs of this test are valid.
    const expectDone = (status: number) => {
      const done = status === 200;
      if (!done) expect(new Date().toISOString() >= upload_expires_at, String(status)).to.equal(true);
      return done;
    };
    if (random.chance(0.1)) continue;
    if (!expectDone(await uploaded(upload_url, bytes))) continue;
    step();
    if (random.chance(0.2)) continue;
    const confirmed = await owner.post(`/v1/test/artifact/${artifact_id}/confirm`);
    step();
    if (!expectDone(confirmed.status)) continue;
    if (long) kept.add(artifact_id);
    own.push(artifact_id);
    if (random.chance(0.3)) expectDone(await uploaded(upload_url, bytes.toUpperCase()));
    if (random.chance(0.8)) continue;
    kept.delete(artifact_id);
    expectDone((await owner.delete(`/v1/test/artifact/${artifact_id}`)).status);
    if (random.chance(0.5)) expectDone(await uploaded(upload_url, bytes));
    step();
  }
  if (random.chance(0.8)) return;
  for (const id of own) kept.delete(id);
  expect((await owner.delete(`/v1/test/result/${test_result_id}`)).status).to.equal(200);
  step();
}

/** The sizes of all files of blobs; null where one was removed while they were counted. */
async function onDisk(folder: string): Promise<number[] | null> {
  const blobs = join(folder, 'blobs');
  try {
    const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return await Promise.all(
      files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function sameAs(sizes: readonly number[] | null, artifacts: readonly Artifact[]): boolean {
  // Only after the short-lived artifacts have expired: one that expires during the check is not a fault.
  if (sizes === null || artifacts.some(({ expires_at }) => expires_at < soon())) return false;
  const inOrder = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b).join();
  return inOrder(sizes) === inOrder(artifacts.map(({ size_bytes }) => size_bytes));
}

function soon(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}

async function downloaded(owner: Api, id: string): Promise<Buffer> {
  const { status, body, text } = await owner.get(`/v1/test/artifact/${id}/download`);
  expect(status, text).to.equal(200);
  const file = await fetch(body.download_url);
  expect(file.status).to.equal(200);
  return Buffer.from(await file.arrayBuffer());
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
