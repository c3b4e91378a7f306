import { expect } from 'chai';
import { noMasker } from '../../src/client/masking/masker.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client, type NamedArtifact } from '../../src/client/index.js';
import { groupsOf } from '../../src/client/upload-artifacts.js';
import { givenProject } from '../http/given.js';
import { testServer, type Team } from '../kit/server.js';
import { faultyProxy, type Fault } from './faulty-proxy.js';

const KIB = 1_024;

describe('files that the client uploads together', () => {
  const server = testServer();
  const proxy = faultyProxy(() => server.url);
  let team: Team;
  let results: (n: number) => string;
  let client: Client;
  let folder: string;
  before(async () => {
    team = await server.newTeam();
    folder = await mkdtemp(join(tmpdir(), 'testledger-client-'));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    const project = await givenProject(team.owner);
    client = createClient({ url: proxy.url, apiKey: team.owner.key!, project, retries: { firstMs: 10 } });
    const items = [0, 1, 2, 3, 4].map((n) => ({ name: `test ${n}`, status: 'failed' }) as const);
    results = (await client.submitRun({ results: items })).resultId;
    proxy.plan([]);
  });

  const file = (n: number, content: string, more: object = {}): NamedArtifact => ({
    resultId: results(n % 5),
    label: `file ${n}`,
    contentType: 'text/plain',
    bytes: Buffer.from(content),
    ...more,
  });
  const labels = async (): Promise<string[]> => {
    const lists = await Promise.all(
      [0, 1, 2, 3, 4].map((n) => team.owner.get(`/v1/test/artifact/?test_result_id=${results(n)}`)),
    );
    return lists.flatMap(({ body }) => body.items.map(({ label }: any): string => label) as string[]).sort();
  };
  const asked = () =>
    proxy.requests.map(({ method, path }) => `${method} ${path.replace(/artifact_\w+/, 'ID')}`);

  it('are there with few calls, each with its outcome in the order of the files', async () => {
    const files = Array.from({ length: 230 }, (_, n) => file(n, `content ${n}`));
    const uploaded = await client.uploadArtifacts(files);
    expect(uploaded.map(({ artifact }) => artifact?.label)).to.deep.equal(files.map(({ label }) => label));
    expect(asked()).to.deep.equal(Array(3).fill('POST /v1/test/artifact/batch'));
    const { body } = await team.owner.get(`/v1/test/artifact/${uploaded[7]!.artifact!.artifact_id}/download`);
    expect(await (await fetch(body.download_url)).text()).to.equal('content 7');
  });

  it('come from memory and from files; a larger one goes in calls of its own', async () => {
    const path = join(folder, 'a file');
    await writeFile(path, 'from a file');
    const large = file(2, 'x'.repeat(64 * KIB + 1));
    const { bytes: _, ...fromPath } = { ...file(1, ''), path } as any;
    const uploaded = await client.uploadArtifacts([file(0, 'small'), large, fromPath]);
    expect(uploaded.map(({ artifact }) => artifact?.size_bytes)).to.deep.equal([5, 64 * KIB + 1, 11]);
    expect(await labels()).to.deep.equal(['file 0', 'file 1', 'file 2']);
    expect(asked().filter((each) => each.endsWith('/batch'))).to.have.length(1);
    expect(asked()).to.include('POST /v1/test/artifact/ID/confirm');
  });

  it('are one small file too, in one call', async () => {
    expect(await client.uploadArtifact(file(0, 'small'))).to.include({ label: 'file 0' });
    expect(asked()).to.deep.equal(['POST /v1/test/artifact/batch']);
  });

  it('do not hold up each other: the wrong, empty, missing and refused ones have errors', async () => {
    const missing = { ...file(3, ''), path: join(folder, 'not there') } as any;
    delete missing.bytes;
    const uploaded = await client.uploadArtifacts([
      file(0, 'good'),
      file(1, 'x', { contentType: 'no media type' }),
      file(2, ''),
      missing,
      file(4, 'x', { resultId: results(4).replace(/_4$/, '_44') }),
      file(5, 'good'),
    ]);
    expect(uploaded.map(({ error }) => error?.code ?? null)).to.deep.equal([
      null,
      'validation_failed',
      'invalid_call',
      'ENOENT',
      'not_found',
      null,
    ]);
    expect(uploaded[4]!.error).to.include({ status: 404 });
    expect(await labels()).to.deep.equal(['file 0', 'file 5']);
  });

  const faults: Fault[] = ['closed', 'unanswered', 'cut', 429, 503];
  for (const fault of faults) {
    it(`are there once after the fault "${fault}"`, async () => {
      proxy.plan([fault, null]);
      const files = Array.from({ length: 20 }, (_, n) => file(n, 'the same'));
      expect((await client.uploadArtifacts(files)).every(({ error }) => error === null)).to.equal(true);
      expect(proxy.requests).to.have.length(2);
      expect(await labels()).to.have.length(20);
    });
  }

  it('are there once when they are named, and the call is made again', async () => {
    const files = [0, 1, 2].map((n) => file(n, 'the same', { label: 'one', idempotencyKey: `file-${n}` }));
    const [first, again] = [await client.uploadArtifacts(files), await client.uploadArtifacts(files)];
    expect(again).to.deep.equal(first);
    expect(await labels()).to.deep.equal(['one', 'one', 'one']);
  });

  it('have the error of their call where the server is not there', async () => {
    const away = createClient({ url: 'http://127.0.0.1:1', apiKey: 'tl_x', retries: { most: 0 } });
    const uploaded = await away.uploadArtifacts([file(0, 'x'), file(1, 'x')]);
    expect(uploaded.map(({ error }) => error?.code)).to.deep.equal(['unreachable', 'unreachable']);
  });

  it('end with the signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const error = await client.uploadArtifacts([file(0, 'x')], { signal }).catch((reason: unknown) => reason);
    expect(error).to.include({ message: 'enough' });
  });

  it('are grouped by the number, bytes and values that one call takes', async () => {
    const sizesOf = async (files: NamedArtifact[]) => {
      const sizes: number[] = [];
      for await (const group of groupsOf(files, noMasker)) {
        expect(Buffer.byteLength(`{"artifacts":[${group.items!.join()}]}`)).to.be.at.most(KIB * KIB);
        sizes.push(group.files.length);
      }
      return sizes;
    };
    const many = (count: number, content: string, more = {}) =>
      Array.from({ length: count }, (_, n) => file(n, content, more));
    expect(await sizesOf(many(201, 'x'))).to.deep.equal([100, 100, 1]);
    expect(await sizesOf(many(12, 'x'.repeat(64 * KIB)))).to.deep.equal([11, 1]);
    const values = { metadata: { values: Array.from({ length: 2_000 }, (_, n) => n) } };
    expect(await sizesOf(many(5, 'x', values))).to.deep.equal([2, 2, 1]);
    expect((await client.uploadArtifacts(many(5, 'x', values))).map(({ error }) => error)).to.deep.equal(
      Array(5).fill(null),
    );
  });
});
