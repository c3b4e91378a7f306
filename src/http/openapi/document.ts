/** The OpenAPI 3.1 document of this server, from the routes that it has mounted and the files of `schemas/`. */
import type { AppOptions } from '../app.js';
import { PROBLEMS_BASE } from '../problems/pages.js';
import { surfaceOf } from '../problems/reply.js';
import type { OpenRoute, Route } from '../route.js';
import { errorsOf, errorsOfOpen } from './errors.js';
import { headersOf, headersOfOpen, requestHeaders, responseHeaders } from './headers.js';
import { parametersOf, pathParameters, requestBodyOf } from './parameters.js';
import { errorResponses, responsesOf } from './responses.js';
import { apiSchemas, usedIn, type JsonSchema } from './schemas.js';

export type Mounted = Pick<AppOptions, 'surfaces' | 'open'>;

/** A JSON document. */
export type ApiDocument = { [name: string]: unknown };

export function openApiDocument({ surfaces, open }: Mounted, version: string): ApiDocument {
  const paths = pathsOf({ surfaces, open });
  const responses = errorResponses();
  return {
    openapi: '3.1.1',
    info: {
      title: 'testledger',
      version,
      summary: 'An event-sourced test reporting service',
      description:
        'Two HTTP interfaces on one port share keys, ids and data. **Step by step** (`/v1/test`): create a run, start ' +
        'and finish results, upload artifacts. **Whole runs** (`/v1`): a run in one call, lists, history, replay, ' +
        'webhooks, keys. Every path works with and without a slash at its end. HEAD answers as GET does.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: [
      { name: 'Step by step', description: 'Surface A: runs, results and artifacts, one by one' },
      {
        name: 'Whole runs',
        description: 'Surface B: submissions, lists, history, replay, webhooks and keys',
      },
      { name: 'Server', description: 'Health, documents, pages about errors, and files. No key is needed' },
    ],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: usedIn([paths, responses, { $ref: '#/components/schemas/Event' }], apiSchemas()),
      headers: responseHeaders,
      parameters: requestHeaders,
      responses,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of a team, `tl_…`. The word `Bearer` may be left out.',
        },
      },
    },
  };
}

function pathsOf({ surfaces, open }: Mounted): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const add = (path: string, method: string, operation: JsonSchema) =>
    void ((paths[path] ??= {})[method.toLowerCase()] = operation);
  for (const { path, method, routes } of surfaces.flatMap(groupsOf))
    add(path, method, operationOf(path, routes));
  for (const route of open) add(templateOf(route.path), route.method ?? 'GET', openOperationOf(route));
  return Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Group = { path: string; method: string; routes: readonly [Route, ...Route[]] };

/** Routes of one method and path, which a query parameter selects, are one operation in an API document. */
function groupsOf({ base, routes }: Mounted['surfaces'][number]): Group[] {
  const groups = new Map<string, [Route, ...Route[]]>();
  // The one without a query parameter is the first: the operation has its name.
  for (const route of routes.toSorted((a, b) => rank(a) - rank(b))) {
    const group = groups.get(`${route.method} ${route.path}`);
    if (group === undefined) groups.set(`${route.method} ${route.path}`, [route]);
    else group.push(route);
  }
  return [...groups.values()].map((group) => {
    const [{ method, path }] = group;
    return { path: templateOf(base + path), method, routes: group };
  });
}

function rank({ withQuery }: Route): number {
  return withQuery === undefined ? 0 : 1;
}

function operationOf(path: string, routes: Group['routes']): JsonSchema {
  const [first, ...others] = routes;
  const { method, withQuery, operation } = first;
  const surface = surfaceOf(path);
  const codes = [...new Set(routes.flatMap(errorsOf))];
  return {
    // The operation with the id in the path has the name itself.
    operationId: withQuery === undefined ? operation.id : `${operation.id}ByQuery`,
    summary: [
      operation.summary,
      ...others.map((other) => `with \`${other.withQuery}\`: ${uncapitalized(other.operation.summary)}`),
    ].join('; '),
    description: `${mayCall(first)} ${ownErrors(routes)}`.trim(),
    tags: [path.startsWith('/v1/test/') ? 'Step by step' : 'Whole runs'],
    parameters: parametersOf(path, routes),
    ...requestBodyOf(routes),
    responses: responsesOf({
      answers: [...routes.map((route) => route.operation.answers), method === 'GET' ? { 304: null } : {}],
      codes,
      surface,
      headersOf: headersOf(routes[0]),
    }),
    'x-error-codes': codes,
  };
}

function mayCall({ role, reporter = false, wholeTeam = false, operator = false }: Route): string {
  if (operator) return `Only keys of the operator's team with the role \`${role}\` may call it.`;
  const others = reporter ? ', and those with the role `reporter`,' : '';
  const narrowed = wholeTeam ? ' Keys of some projects may not.' : '';
  return `Keys with the role \`${role}\` and above${others} may call it.${narrowed}`;
}

/** The errors that do not follow from what every operation has. */
function ownErrors(routes: Group['routes']): string {
  const codes = [...new Set(routes.flatMap(({ operation }) => operation.errors ?? []))];
  if (codes.length === 0) return '';
  return `Its own errors: ${codes.map((code) => `[\`${code}\`](${PROBLEMS_BASE}/${code})`).join(', ')}.`;
}

function openOperationOf(route: OpenRoute): JsonSchema {
  const { method = 'GET', operation, body } = route;
  const path = templateOf(route.path);
  const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const codes = errorsOfOpen(route);
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: ['Server'],
    security: [],
    parameters: pathParameters(path),
    ...(method === 'PUT' && { requestBody: { required: true, content: bytes } }),
    ...(body !== undefined && requestBodyOf([{ body }])),
    responses: responsesOf({
      answers: [operation.answers],
      codes,
      surface: surfaceOf(path),
      headersOf: headersOfOpen(path),
    }),
    'x-error-codes': codes,
  };
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `/projects/:id` is `/projects/{id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
