/** Creates what a test needs to exist. */
import { expect } from 'chai';
import { eventually } from '../stores.js';
import type { Answer, Api } from '../kit/client.js';
import type { Team, TestServer } from '../kit/server.js';

type Per = 'each test' | 'each suite';

/** Declares a new team for each test of the block around it, or one for all of them. */
export function givenTeam(server: TestServer, per: Per): Team {
  let team: Team | null = null;
  (per === 'each test' ? beforeEach : before)(async () => {
    team = await server.newTeam();
  });
  return {
    get id() {
      return team!.id;
    },
    get owner() {
      return team!.owner;
    },
  };
}

/** The same, with a project. */
export function givenTeamWithProject(server: TestServer, per: Per): Team & { readonly project: string } {
  const team = givenTeam(server, per);
  let project = '';
  (per === 'each test' ? beforeEach : before)(async () => {
    project = await givenProject(team.owner);
  });
  return Object.defineProperty(team, 'project', { get: () => project }) as Team & { project: string };
}

/** The id of a new project. */
export async function givenProject(api: Api, fields: object = {}): Promise<string> {
  return made(await api.post('/v1/projects', { name: 'A project', ...fields }), 201).data.id;
}

/** The answer to a new run. */
export async function givenRun(api: Api, project_id: string, fields: object = {}): Promise<any> {
  return made(await api.post('/v1/test/run/', { project_id, ...fields }), 200);
}

/** The answer to a new result; `Passed` unless `fields` say otherwise. */
export async function givenResult(api: Api, project_id: string, fields: object = {}): Promise<any> {
  const body = { project_id, test_name: 'A test', status: 'Passed', ...fields };
  return made(await api.post('/v1/test/result/', body), 200);
}

/**
 * Submits a whole run; returns its id, and the ids of its results by ordinal. An item is `passed` and has a unique name
 * unless it says otherwise.
 */
export async function givenSubmission(
  api: Api,
  project_id: string,
  items: readonly object[],
  fields: object = {},
): Promise<{ run: string; results: string[] }> {
  const results = items.map((item, n) => ({ name: `test ${n}`, status: 'passed', ...item }));
  const { id } = made(await api.post('/v1/test-runs', { project_id, results, ...fields }), 201).data;
  return { run: id, results: items.map((_, n) => `result_${id.slice('run_'.length)}_${n}`) };
}

export const newArtifact = {
  label: 'The screen',
  kind: 'Image',
  content_type: 'image/png',
  size_bytes: 9,
};

/** The answer to a new artifact of 9 bytes, with the URL for its upload. */
export async function givenAnnounced(api: Api, test_result_id: string, fields: object = {}): Promise<any> {
  return made(await api.post('/v1/test/artifact/', { ...newArtifact, test_result_id, ...fields }), 200);
}

/** Uploads like a pipeline, without a header or a key. Returns the status. */
export async function uploaded(url: string, bytes: string | Uint8Array<ArrayBuffer>): Promise<number> {
  const response = await fetch(url, { method: 'PUT', body: new Blob([bytes]) });
  await response.arrayBuffer();
  return response.status;
}

/** The answer to the confirmation of an uploaded artifact. */
export async function givenArtifact(
  api: Api,
  test_result_id: string,
  bytes = 'the bytes',
  fields: object = {},
): Promise<any> {
  const size_bytes = Buffer.byteLength(bytes);
  const announced = await givenAnnounced(api, test_result_id, { size_bytes, ...fields });
  expect(await uploaded(announced.upload_url, bytes)).to.be.oneOf([200, 201, 204]);
  return made(await api.post(`/v1/test/artifact/${announced.artifact_id}/confirm`), 200);
}

/** The text of a new key with this role. */
export async function givenKey(api: Api, role: string): Promise<string> {
  return made(await api.post('/v1/keys', { name: `A ${role}`, role }), 201).data.key;
}

export const newWebhook = { url: 'https://example.org/hook', events: ['*'] };

/** The answer to a new webhook, with its secret. */
export async function givenWebhook(api: Api, fields: object = {}): Promise<any> {
  return made(await api.post('/v1/webhooks', { ...newWebhook, ...fields }), 201).data;
}

/** The body of a GET, which must find what it asks for. */
export async function bodyOf(api: Api, path: string): Promise<any> {
  return made(await api.get(path), 200);
}

/** Makes a project inactive, so that it refuses writes. */
export async function givenInactive(api: Api, project_id: string): Promise<void> {
  made(await api.patch(`/v1/projects/${project_id}`, { status: 'inactive' }), 200);
}

/** Waits until a GET is answered in time: after a start, the threads can load for longer than a GET waits for views. */
export async function untilFollowed(api: Api, path: string): Promise<void> {
  await eventually(`${path} to be followed`, async () => {
    const { headers } = await api.getOnce(path);
    return !headers.has('x-read-lag');
  });
}

export type ShownPage = Pick<Answer, 'status' | 'headers' | 'text'>;

export async function fetchedPage(url: string, init: RequestInit = {}): Promise<ShownPage> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A page or a badge. While the read models are behind, it says so or is refused, and is asked for again. */
export async function currentPage(url: string, init: RequestInit = {}): Promise<ShownPage> {
  let page = await fetchedPage(url, init);
  await eventually(`${url} to be followed`, async () => {
    const isCurrent = page.status !== 503 && !page.text.includes('behind: the newest events are not in it');
    if (!isCurrent) page = await fetchedPage(url, init);
    return isCurrent;
  });
  return page;
}

function made({ status, body, text }: Answer, wanted: number): any {
  expect(status, text).to.equal(wanted);
  return body;
}

/** Uses keys, and waits until the audit has told it: it does so behind the answers. `total`: of all used keys so far. */
export async function untilUsed(admin: Api, keys: readonly Api[], total: number): Promise<void> {
  for (const key of keys) made(await key.get('/v1/me'), 200);
  await eventually('the audit tells the uses of keys', async () => {
    const { pagination } = await bodyOf(admin, '/v1/audit?type=key_first_used');
    return pagination.total === total;
  });
}
