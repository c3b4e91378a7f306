/** Shows a page of the dashboard to a test: its handler, with the API of a started server in the place of calls in the process. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageReply, Shown } from '../../src/dashboard/page.js';
import type { Api } from '../kit/client.js';
import { apiOf, replyOf, type Opening } from './open-page.js';

export type Visit = {
  reply: PageReply;
  /** Of the body; empty for another reply than a page in HTML. */
  html: string;
  /** The paths of the API that the page called. */
  calls: string[];
};

export type Visitor = Pick<Opening, 'team' | 'role' | 'name' | 'onlyLive'> & { api: Api };

/** @throws AppError as the page does */
export async function visit(path: string, { api, role = 'viewer', ...more }: Visitor): Promise<Visit> {
  const calls: string[] = [];
  const { reply } = await replyOf(path, { api: apiOf(api, calls), role, ...more });
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
