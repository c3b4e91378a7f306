/** Handles a request on its route, with the refusals in the order that the API promises (docs/api.md, section 1). */
import type { Context } from 'koa';
import { instant, type Clock } from '../clock.js';
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';
import type { Freshness } from '../projecting/freshness.js';
import type { IdempotentRequest, Idempotency } from '../commands/idempotency.js';
import { newIds } from '../commands/ids.js';
import type { Instant } from '../domain/event.js';
import { authenticate, holds, mustBeAllowed } from './auth.js';
import type { ReadBody } from './body.js';
import type { ReceiveBulk } from './bulk/receive.js';
import { hash, idempotently, toSent, type RenderedReply } from './idempotent.js';
import { parseBody } from './json.js';
import { publicOrigin } from './origin.js';
import type { RateLimit } from './rate-limit.js';
import type { Call, Reply, Route } from './route.js';
import type { Streams, StreamReply } from './streams.js';
import type { Validate } from './validate.js';

export type RouteServices = {
  keys: ApiKeys;
  rateLimit: RateLimit;
  readBody: ReadBody;
  receiveBulk: ReceiveBulk;
  idempotency: Idempotency;
  freshness: Freshness;
  validate: Validate;
  streams: Streams;
  clock: Clock;
  /** The URL under which clients reach the server; null to take it from each request. */
  publicUrl: string | null;
  /** Records each use of a key. */
  keyUsed: (keyId: string) => void;
};

/** @throws LedgerError for every refusal. */
export async function handleRequest(ctx: Context, route: Route, services: RouteServices): Promise<void> {
  const key = await authenticate(services.keys, ctx.req.headers.authorization);
  ctx.state['key'] = key;
  services.keyUsed(key.key_id);
  services.rateLimit(key.key_id, ctx.res);
  if (route.bulk === true) {
    // Checked before it waits: keys without the right to submit must not take slots from the others.
    const submitter = { team: key.team_id, mayPass: () => mustBeAllowed(key, route) };
    await services.receiveBulk(ctx, submitter, ({ hash, read }) =>
      answer(ctx, route, key, services, { hash: () => hash, read }),
    );
    return;
  }
  const bytes = route.method === 'GET' ? '' : await services.readBody(ctx);
  mustBeAllowed(key, route);
  await answer(ctx, route, key, services, {
    hash: () => hash(bytes),
    read: () => (route.method === 'GET' ? undefined : services.validate.body(route.body, parseBody(bytes))),
  });
}

/** A body whose bytes have arrived. */
type ArrivedBody = {
  /** SHA-256, in hexadecimal digits. */
  hash(): string;
  /** Its content, parsed and checked. @throws LedgerError where it is not valid. */
  read(now: Instant): unknown;
};

async function answer(
  ctx: Context,
  route: Route,
  key: KeyEntry,
  services: RouteServices,
  arrived: ArrivedBody,
): Promise<void> {
  const work = async (attempt?: IdempotentRequest): Promise<Reply> => {
    const query = services.validate.query(route.query, ctx);
    const at = attempt?.at ?? instant(services.clock);
    const body = await arrived.read(at);
    return route.handle(callOf(ctx, key, { query, body }, at, services, attempt));
  };
  const idempotencyKey = route.method === 'POST' ? ctx.req.headers['idempotency-key'] : undefined;
  if (idempotencyKey === undefined) {
    const reply = await work();
    if (!isStream(reply)) return send(ctx, reply);
    return services.streams.send(ctx, reply, () => holds(services.keys, ctx.req.headers.authorization, key));
  }
  const scope = [key.team_id, ctx.method, ctx.originalUrl];
  const keeping = { secret: route.secret ?? false, again: route.replayFromEvents ?? false };
  const options = { key: String(idempotencyKey), scope, bodyHash: arrived.hash(), keeping };
  sendText(ctx, await idempotently(services.idempotency, options, work));
}

function callOf(
  ctx: Context,
  key: KeyEntry,
  input: Pick<Call, 'query' | 'body'>,
  at: Instant,
  { freshness, publicUrl }: RouteServices,
  attempt: IdempotentRequest | undefined,
): Call {
  return {
    key,
    params: ctx['params'] as Record<string, string>,
    ...input,
    get origin() {
      return publicOrigin(publicUrl, ctx.req);
    },
    accepts: <T extends string>(types: readonly T[]) => (ctx.accepts(...types) || null) as T | null,
    header: (name) => {
      const value = ctx.req.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    context: {
      team: key.team_id,
      actor: key.key_id,
      at,
      correlationId: ctx.state['requestId'] as string,
      ids: attempt?.ids ?? newIds,
      resumed: attempt?.resumed ?? false,
    },
    async waitForViews() {
      const lag = await freshness(key.team_id);
      if (lag > 0) ctx.set('X-Read-Lag', String(lag));
      return lag === 0;
    },
  };
}

function isStream(reply: Reply): reply is StreamReply {
  return reply.stream !== undefined;
}

/** Writes a reply without a stream. */
export function send(ctx: Context, reply: Reply): void {
  if (reply.headers !== undefined) ctx.set({ ...reply.headers });
  sendText(ctx, toSent(reply), reply.type);
}

function sendText(ctx: Context, { status, body }: RenderedReply, type = 'application/json'): void {
  ctx.status = status;
  if (body === null) return;
  // Set on the response of Node: Koa would look up the media type of every answer.
  ctx.res.setHeader('Content-Type', `${type}; charset=utf-8`);
  ctx.body = body;
}
