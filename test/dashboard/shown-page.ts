/** Shows a page of the dashboard to a test: its handler, with the API of a started server in the place of calls in the process. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageApi } from '../../src/dashboard/page-api.js';
import type { PageReply, PageRequest, Shown } from '../../src/dashboard/page.js';
import { pages } from '../../src/dashboard/pages.js';
import type { KeyRole } from '../../src/domain/team.js';
import { fail, type ErrorCode } from '../../src/errors.js';
import type { Api } from '../kit/client.js';

export type Visit = {
  reply: PageReply;
  /** Of the body; empty for another reply than a page in HTML. */
  html: string;
  /** The paths of the API that the page called. */
  calls: string[];
};

export type Visitor = { api: Api; team: string; role?: KeyRole; name?: string; onlyLive?: boolean };

/** @throws LedgerError as the page does */
export async function visit(
  path: string,
  { api, team, role = 'viewer', name = 'Ada', onlyLive = false }: Visitor,
): Promise<Visit> {
  const url = new URL(path, 'http://page.invalid');
  const found = pages
    .filter(({ method }) => method === 'GET')
    .map((page) => ({ page, params: paramsOf(page.path, url.pathname) }))
    .find(({ params }) => params !== null);
  if (found === undefined) throw new Error(`there is no page ${path}`);
  const calls: string[] = [];
  const membership = { team_id: team, team_name: 'A team', role };
  const email = `${name.toLowerCase()}@example.org`;
  const person = {
    person_id: 'person_1',
    name,
    email,
    memberships: [membership],
    csrf: 'the-token-of-the-form',
  };
  const request = {
    person,
    team: membership,
    params: found.params!,
    url,
    origin: 'http://ledger.example',
    once: { keep: () => undefined, take: () => null },
    form: new URLSearchParams(),
    api: apiOf(api, calls),
    onlyLive,
    position: async () => '0042',
  } as unknown as PageRequest;
  const reply = await found.page.handle(request);
  return { reply, calls, html: 'body' in reply ? renderToString(reply.body) : '' };
}

/** The HTML of the live parts. */
export function liveParts(reply: PageReply): Record<string, string> {
  const { live = {} } = reply as Shown;
  return Object.fromEntries(
    Object.entries(live).map(([id, node]: [string, VNode]) => [id, renderToString(node)]),
  );
}

/** What the bounds of pages count. */
export function sizeOf(html: string): { bytes: number; nodes: number; rows: number } {
  const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0;
  return { bytes: Buffer.byteLength(html), nodes: count(/<[a-z]/gu), rows: count(/<(?:tr|li)[ >]/gu) };
}

function paramsOf(path: string, shown: string): Record<string, string> | null {
  const [names, values] = [path.split('/'), shown.split('/')];
  if (names.length !== values.length) return null;
  const params: Record<string, string> = {};
  for (const [n, name] of names.entries()) {
    if (name.startsWith(':')) params[name.slice(1)] = decodeURIComponent(values[n]!);
    else if (name !== values[n]) return null;
  }
  return params;
}

function apiOf(api: Api, calls: string[]): PageApi {
  const get = async (path: string, { params = {}, query = {} }: Parameters<PageApi['get']>[1] = {}) => {
    const texts = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== '') texts.set(name, String(value));
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name]!));
    calls.push(filled);
    const { status, body, text } = await api.get(`${filled}?${texts}`);
    if (status === 200) return body;
    return fail((body?.error?.code ?? 'internal') as ErrorCode, text);
  };
  return { get: get as PageApi['get'], send: () => fail('internal', 'a GET changes nothing'), lag: () => 0 };
}
