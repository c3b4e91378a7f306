/** Opens a page as a person would, with an API that the test gives: a server's, or one that answers what a test wants. */
import { openAssets } from '../../src/dashboard/assets.js';
import { renderPage } from '../../src/dashboard/layout.js';
import type { Files, PageReply, PageRequest } from '../../src/dashboard/page.js';
import type { PageApi } from '../../src/dashboard/page-api.js';
import { pages } from '../../src/dashboard/pages.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { fail } from '../../src/errors.js';
import type { Api } from '../kit/client.js';

export type Opening = {
  api: PageApi;
  team: string;
  role?: MemberRole;
  name?: string;
  files?: Files;
  form?: Record<string, string>;
  onlyLive?: boolean;
};

let assets: ReturnType<typeof openAssets> | undefined;

/** `path` with its query. With a `form` it is a POST. @throws AppError as the page does */
export async function openPage(path: string, opening: Opening): Promise<{ reply: PageReply; html: string }> {
  const { reply, ...shown } = await replyOf(path, opening);
  if (!('body' in reply)) return { reply, html: '' };
  assets ??= openAssets(new URL('../../dashboard/', import.meta.url));
  return { reply, html: renderPage(reply, { ...shown, lag: 0, moment: null, assets }) };
}

/** What the handler of the page answers, without the layout around it. */
export async function replyOf(path: string, opening: Opening) {
  const { api, team: team_id, role = 'owner', name = 'Ada', form, onlyLive = false } = opening;
  const { files = { origin: null, untrustedOrigin: null } } = opening;
  const url = new URL(path, 'http://page.invalid');
  const method = form === undefined ? 'GET' : 'POST';
  for (const page of pages) {
    const params = paramsIn(page.path, url.pathname);
    if (page.method !== method || params === null) continue;
    const team = { team_id, team_name: 'A team', role };
    const email = `${name.toLowerCase()}@example.org`;
    const csrf = 'the-token-of-the-form';
    const person = { person_id: 'person_1', name, email, memberships: [team], csrf, isProven: true };
    const request = {
      person,
      params,
      url,
      origin: 'http://ledger.example',
      files,
      api,
      present: api,
      moment: null,
      people: { members: async () => [person] },
      team,
      once: { keep: () => undefined, take: () => null },
      form: new URLSearchParams(form),
      onlyLive,
      position: async () => '0042',
      report: (error: unknown) => {
        throw error;
      },
    };
    const reply = await page.handle(request as unknown as PageRequest);
    const written = 'write' in reply ? { type: reply.type, text: reply.write() } : reply;
    return { reply: written, person, team, url };
  }
  throw new Error(`no page has the path ${method} ${path}`);
}

function paramsIn(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [n, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(given[n]!);
    else if (part !== given[n]) return null;
  }
  return params;
}

/** The API of a started server, with the key of a client. The paths that are called are added to `calls`. */
export function apiOf(client: Api, calls: string[] = []): PageApi {
  const send = async (method: string, path: string, { params = {}, query = {}, body }: any = {}) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]));
    calls.push(filled);
    const asked = Object.entries(query).filter(
      ([name, value]) => value !== undefined && (value !== '' || name === 'environment'),
    );
    const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]));
    const where = `${filled}${search.size === 0 ? '' : `?${search.toString()}`}`;
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = content === undefined ? {} : { 'Content-Type': 'application/json' };
    const answer = await (method === 'GET'
      ? client.get(where)
      : client.send({ method, path: where, headers, content }));
    if (answer.status === 404) fail('not_found', 'There is no such thing.');
    if (answer.status >= 400)
      fail('validation_failed', answer.text, { fields: answer.body.error?.details.errors });
    return answer.body;
  };
  return {
    get: (path, given) => send('GET', path, given) as never,
    send: (method, path, given) => send(method.toUpperCase(), path, given) as never,
    lag: () => 0,
  };
}

/** An API that answers each path with what a test gives for it. */
export function stubbedApi(answers: Readonly<Record<string, unknown>>): PageApi {
  const answer = async (path: string) => {
    if (!(path in answers)) fail('not_found', `There is no answer for ${path}.`);
    return answers[path];
  };
  return { get: (path) => answer(path) as never, send: (_, path) => answer(path) as never, lag: () => 0 };
}
