import { expect } from 'chai';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type ArtifactToUpload, type Client } from '../../src/client/index.js';
import { givenProject, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { faultyProxy, type Fault } from './faulty-proxy.js';

describe('an artifact that the client uploads', () => {
  const server = testServer();
  const proxy = faultyProxy(() => server.url);
  const team = givenTeam(server, 'each suite');
  let resultId: string;
  let client: Client;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-client-'));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    const project = await givenProject(team.owner);
    proxy.plan([]);
    // The storage is behind the proxy too.
    const throughProxy: typeof fetch = (url, init) =>
      fetch((url as string).replace(server.url, proxy.url), init);
    client = createClient({
      url: proxy.url,
      apiKey: team.owner.key!,
      project,
      retries: { firstMs: 10 },
      fetch: throughProxy,
    });
    resultId = (await client.submitRun({ results: [{ name: 'a test', status: 'failed' }] })).resultId(0);
    proxy.plan([]);
  });

  const described = () =>
    ({ resultId, label: 'screen.png', kind: 'Image', contentType: 'image/png' }) as const;
  const upload = (content: { bytes: Uint8Array }) =>
    client.uploadArtifact({ ...described(), ...content } satisfies ArtifactToUpload);
  const artifacts = async (): Promise<any[]> =>
    (await team.owner.get(`/v1/test/artifact/?test_result_id=${resultId}`)).body.items;
  const contentOf = async (id: string) => {
    const { body } = await team.owner.get(`/v1/test/artifact/${id}/download`);
    return Buffer.from(await (await fetch(body.download_url)).arrayBuffer());
  };

  /** Too large for a batch, so that it takes its three steps. */
  const bytes = Buffer.alloc(100_000, 'the bytes of a screen');

  it('is there with its bytes, from memory, from a file and from a stream', async () => {
    const path = join(folder, 'screen.png');
    await writeFile(path, bytes);
    async function* stream() {
      yield bytes.subarray(0, 5);
      yield bytes.subarray(5).toString();
    }
    const before = await readdir(tmpdir());
    for (const content of [{ bytes }, { path }, { stream: stream() }]) {
      const { artifact_id } = await client.uploadArtifact({ ...described(), ...content });
      expect((await contentOf(artifact_id)).equals(bytes)).to.equal(true);
    }
    expect((await artifacts()).map(({ label }) => label)).to.deep.equal(Array(3).fill('screen.png'));
    const left = (await readdir(tmpdir())).filter((name) => !before.includes(name));
    expect(left.filter((name) => name.startsWith('testledger-upload-'))).to.deep.equal([]);
  });

  it('is there in a program that has the package undici beside the fetch of its Node', async () => {
    // Loaded before any `fetch`, it would stay beside that of all tests of this process.
    const { Agent, getGlobalDispatcher, setGlobalDispatcher } = await import('undici');
    const own = getGlobalDispatcher();
    const other = new Agent();
    setGlobalDispatcher(other);
    try {
      const { artifact_id } = await upload({ bytes });
      expect((await contentOf(artifact_id)).equals(bytes)).to.equal(true);
    } finally {
      setGlobalDispatcher(own);
      await other.close();
    }
  });

  it('has the kind of its content type, unless it is given', async () => {
    const kindOf = async (contentType: string, given?: 'Other') => {
      const artifact = { resultId, label: 'file', contentType, bytes, ...(given && { kind: given }) };
      return (await client.uploadArtifact(artifact)).kind;
    };
    expect(await kindOf('image/png')).to.equal('Image');
    expect(await kindOf('video/webm')).to.equal('Video');
    expect(await kindOf('text/html')).to.equal('Log');
    expect(await kindOf('application/zip')).to.equal('Other');
    expect(await kindOf('image/png', 'Other')).to.equal('Other');
  });

  const faults: Fault[] = ['closed', 'unanswered', 'page of a proxy', 429, 503];
  for (const fault of faults) {
    it(`is there once after the fault "${fault}" at each of its three steps`, async () => {
      proxy.plan([fault, null, fault, null, fault]);
      const { artifact_id } = await upload({ bytes });
      expect((await artifacts()).map((each) => each.artifact_id)).to.deep.equal([artifact_id]);
      expect((await contentOf(artifact_id)).equals(bytes)).to.equal(true);
      expect(proxy.requests.map(({ method }) => method).join(' ')).to.equal('POST POST PUT PUT POST POST');
    });
  }

  it('goes to the storage without the key of the API', async () => {
    await upload({ bytes });
    const put = proxy.requests.find(({ method }) => method === 'PUT');
    expect(put!.headers).to.not.have.property('authorization');
  });

  it('is refused before anything is sent when it is empty', async () => {
    const error = await upload({ bytes: Buffer.alloc(0) }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'invalid_call' });
    expect(proxy.requests).to.deep.equal([]);
  });

  it('that its result has no room for is an error with the code of the answer', async () => {
    resultId = resultId.replace(/_0$/, '_7');
    const error = await upload({ bytes }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'not_found', status: 404 });
  });
});
