/**
 * The API as pages use it: the same routes, called in the process. So a page can show only what the API answers to the
 * person's role, and shows it with the same rules of tenancy, freshness and validation.
 */
import { instant } from '../clock.js';
import type { Paths } from '../client/api.generated.js';
import { fail } from '../errors.js';
import { mustBeAllowed } from '../http/auth.js';
import { contextOf } from '../http/handle-request.js';
import type { SurfaceRoutes } from '../http/app.js';
import type { Call, Reply } from '../http/route.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { Client } from '../people/client.js';
import { waitsOf } from '../projecting/freshness.js';

type Services = SurfaceRoutes['services'];
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathsWith<M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, unknown> ? P : never;
}[keyof Paths] &
  `/v1/${string}`;

type Answered<M extends Method, P extends keyof Paths> =
  Paths[P] extends Record<M, { responses: infer R }> ? JsonIn<R[keyof R & (200 | 201 | 202)]> : never;
type JsonIn<R> = R extends { content: { 'application/json': infer J } } ? J : undefined;

/** `params`: for the names in braces of the path. */
export type Given = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
};

/** Paths are those of the API document. All throw AppError as the routes do. */
export type PageApi = {
  get<P extends PathsWith<'get'>>(path: P, given?: Given): Promise<Answered<'get', P>>;
  send<M extends Exclude<Method, 'get'>, P extends PathsWith<M>>(
    method: M,
    path: P,
    given?: Given & { body?: unknown },
  ): Promise<Answered<M, P>>;
  /** How far the read models were behind in the calls so far, in milliseconds. */
  lag(): number;
};

/** Who calls: a person in a team, in the place of a key. */
export type Caller = {
  key: KeyEntry;
  correlationId: string;
  /** Where the person acts from. */
  client: Client;
  origin: string;
  /** For what a call costs beyond its first point: the request for the page was charged. */
  rate: Call['rate'];
  /** The moment of which all answers are that can be of one. */
  moment?: string | null;
};

/** Takes the routes once; then each request of a page has its own `PageApi`. */
export function openPageApi(surfaces: readonly SurfaceRoutes[]): (caller: Caller) => PageApi {
  const routes = new Map(
    surfaces.flatMap(({ base, routes, services }) =>
      routes.map((route) => {
        const path = (base + route.path).replace(/:(\w+)/g, '{$1}');
        const name = `${route.method} ${path}${route.withQuery === undefined ? '' : `?${route.withQuery}`}`;
        return [name, { route, services }] as const;
      }),
    ),
  );

  return ({ key, correlationId, client, origin, rate, moment = null }) => {
    let lag = 0;

    async function call(
      method: string,
      path: string,
      { params = {}, query: wanted = {}, body }: Given & { body?: unknown },
    ): Promise<unknown> {
      // An empty key is that of results without an environment. No other parameter may be empty.
      const given = Object.entries(wanted).filter(
        ([name, value]) => value !== undefined && (value !== '' || name === 'environment'),
      );
      const byQuery = given.map(([name]) => routes.get(`${method} ${path}?${name}`)).find(Boolean);
      const found = byQuery ?? routes.get(`${method} ${path}`);
      if (found === undefined) throw new Error(`there is no route ${method} ${path}`);
      const { route, services } = found;
      mustBeAllowed(key, route);
      if (moment !== null && route.asOf !== undefined) given.push(['as_of', moment]);
      const texts = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      const query = services.validate.query(route.query, {
        querystring: texts.toString(),
        query: Object.fromEntries(texts),
      });
      const asked: Omit<Call, 'body'> = {
        key,
        params,
        query,
        origin: () => origin,
        accepts: (types) => types[0] ?? null,
        header: () => undefined,
        client,
        rate,
        context: {
          ...contextOf(key, instant(services.clock), correlationId),
          client: () => services.sealClient(key.person_id, client),
        },
        waitFor: waitsOf(services.freshness, key.team_id, (behind) => (lag = Math.max(lag, behind))),
      };
      const reply =
        route.bulk === true
          ? await submit(services, key, body, (submission) => route.handle({ ...asked, body: submission }))
          : await route.handle({
              ...asked,
              // As over HTTP, no body is an empty one.
              body: method === 'GET' ? undefined : services.validate.body(route.body, body ?? {}),
            });
      if (reply.stream !== undefined) fail('internal', `A page cannot read the stream of ${path}.`);
      return reply.body;
    }

    return {
      get: (path, given = {}) => call('GET', path, given) as never,
      send: (method, path, given = {}) => call(method.toUpperCase(), path, given) as never,
      lag: () => lag,
    };
  };
}

/** A bulk submission is read in another thread, and takes its turn among those of the team. */
async function submit(
  { admission, readSubmission, clock }: Services,
  { key_id, team_id }: KeyEntry,
  body: unknown,
  handle: (submission: object) => Promise<Reply>,
): Promise<Reply> {
  return admission.run('submissions', { team: team_id, key: key_id }, async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const submission = await readSubmission(bytes, instant(clock), team_id);
    try {
      return await handle(submission);
    } finally {
      submission.close();
    }
  });
}
