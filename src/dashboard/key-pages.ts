/**
 * `/runs/:run`, `/groups/:project/:group`, `/results/:result` and `/tests/:test` for an API key: the texts of the pages,
 * by the rules of every other GET of the API. Without `.json` at its end, a path gives Markdown.
 */
import type { Context } from 'koa';
import { handleRequest } from '../http/handle-request.js';
import type { SurfaceRoutes } from '../http/app.js';
import type { Call, Route } from '../http/route.js';
import type { Caller, PageApi } from './page-api.js';
import type { Text } from './page.js';
import { groupText, resultText, runText, testText, type TextSource } from './pages/texts.js';
import { linksOfKey } from './text/links.js';
import { formatOf } from './text/text-page.js';

type KeyPage = Pick<Route, 'query'> & {
  read(source: TextSource, id: string, call: Call): Promise<Text>;
};

const pages: Readonly<Record<string, KeyPage>> = {
  '/runs/:id': {
    query: 'ComparisonQuery',
    read: (source, run, { query }) => runText(source, { run, baseline: query['baseline'] as string }),
  },
  '/groups/:project/:id': {
    read: (source, group, { params }) => groupText(source, { project: params['project']!, group }),
  },
  '/results/:id': { read: (source, result) => resultText(source, { result }) },
  '/tests/:id': {
    query: 'TestQuery',
    read: (source, test, { query }) => testText(source, { test, ...(query as { branch?: string }) }),
  },
};

export type KeyPages = { isAsked(ctx: Context): boolean; handle(ctx: Context, path: string): Promise<void> };

/** What of the server the texts for keys need. */
export type KeyPageParts = {
  api: (caller: Caller) => PageApi;
  /** The position of a team's read models. */
  positionOf(team: string): Promise<string>;
};

export function openKeyPages({ services }: Pick<SurfaceRoutes, 'services'>, parts: KeyPageParts): KeyPages {
  const routes = new Map(
    Object.entries(pages).map(([path, { query, read }]): [string, Route] => [
      path,
      {
        method: 'GET',
        path,
        operation: {
          id: 'readText',
          summary: 'Shows it as text',
          answers: { 200: { media: ['text/markdown'] } },
        },
        role: 'viewer',
        reporter: true,
        ...(query !== undefined && { query }),
        async handle(call) {
          const { id, format } = formatOf(call.params['id']!);
          const source = await sourceOf(call, parts, format === 'json' ? 'json' : 'md');
          const { text, type } = await read(source, id, call);
          return { status: 200, body: text, type };
        },
      },
    ]),
  );
  return {
    isAsked: (ctx) => routes.has(ctx.state['route'] as string) && ctx.get('Authorization') !== '',
    handle: (ctx, path) => handleRequest(ctx, routes.get(path)!, services),
  };
}

/** The API in the place of a key, and the addresses that it can open. */
export async function sourceOf(
  call: Call,
  { api, positionOf }: KeyPageParts,
  format: TextSource['format'],
): Promise<TextSource> {
  await call.waitFor('records', 'history');
  const { key, rate, client, context } = call;
  const origin = call.origin();
  return {
    api: api({ key, correlationId: context.correlationId, client, origin, rate }),
    links: linksOfKey(origin),
    format,
    position: await positionOf(key.team_id),
  };
}
