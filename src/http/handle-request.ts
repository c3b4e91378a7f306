/** Handles a request on its route, with the refusals in the order that the API promises (docs/api.md, section 1). */
import type { Context } from 'koa';
import type { Admission } from '../admission/admission.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';
import { waitsOf, type FreshnessOf } from '../projecting/freshness.js';
import type { CommandContext } from '../commands/command-context.js';
import type { IdempotentRequest, Idempotency } from '../commands/idempotency.js';
import { fail, isAppError } from '../errors.js';
import { limits } from '../limits.js';
import { newIds } from '../commands/ids.js';
import type { Client } from '../people/client.js';
import type { SealClient } from '../people/sealed-clients.js';
import type { Instant } from '../domain/event.js';
import { authenticate, holds, mustBeAllowed } from './auth.js';
import { answerMemory, type AnswerMemory } from './backpressure/answer-memory.js';
import { holderOf } from './backpressure/until-gone.js';
import { demandBodyPace } from './backpressure/arrival-deadlines.js';
import type { ReadBody } from './bodies/body.js';
import type { ReadSubmission, ReceiveBulk } from './bulk/receive.js';
import { hash, idempotently, toSent, type RenderedReply } from './idempotent.js';
import { parseBody } from './bodies/json.js';
import { publicOrigin } from './origin.js';
import { compress } from './protocol/compression.js';
import { tag } from './protocol/entity-tag.js';
import { setHeaders } from './protocol/headers.js';
import { locationOf } from './protocol/location.js';
import type { RateLimit } from './backpressure/rate-limit.js';
import { jsonInTurns } from './bodies/json-in-turns.js';
import { answerPoints, bodyPoints, submissionPoints } from './backpressure/request-cost.js';
import type { Call, Reply, Route } from './route.js';
import type { Streams, StreamReply } from './backpressure/streams.js';
import type { UploadCounts } from './backpressure/upload-counts.js';
import type { Validate } from './bodies/validate.js';

export type RouteServices = {
  keys: ApiKeys;
  rateLimit: RateLimit;
  readBody: ReadBody;
  receiveBulk: ReceiveBulk;
  /** For a submission that comes from this program. */
  readSubmission: ReadSubmission;
  admission: Admission;
  idempotency: Idempotency;
  /** How submissions ended. */
  uploads: UploadCounts;
  freshness: FreshnessOf;
  validate: Validate;
  streams: Streams;
  clock: Clock;
  /** The URL under which clients reach the server; null to take it from each request. */
  publicUrl: string | null;
  /** Records each use of a key. */
  keyUsed: (key: KeyEntry, client: Client) => void;
  /** Makes of a client what is stored of it. */
  sealClient: SealClient;
};

/** The milliseconds by which the read models are behind for the team of the key. */
const READ_LAG = 'X-Read-Lag';

/** @throws AppError for every refusal. */
export async function handleRequest(ctx: Context, route: Route, services: RouteServices): Promise<void> {
  const key = await authenticate(services.keys, ctx.req);
  ctx.state['key'] = key;
  services.keyUsed(key, clientIn(ctx));
  tellOfEnd(ctx, key, services.clock);
  if (route.bulk === true) {
    return services.uploads.counting(key.team_id, () => handleAllowed(ctx, route, key, services));
  }
  await handleAllowed(ctx, route, key, services);
}

const clientIn = ({ state }: Context) => state['client'] as Client;

/** A pipeline must not stop by surprise: its key says in its last days when it ends. */
function tellOfEnd(ctx: Context, { expires_at }: KeyEntry, clock: Clock): void {
  if (expires_at === null || expires_at > addMilliseconds(instant(clock), limits.keyEndsSoonMs)) return;
  ctx.res.setHeader('X-Key-Expires', expires_at);
}

function handleAllowed(ctx: Context, route: Route, key: KeyEntry, services: RouteServices): Promise<void> {
  services.rateLimit.request(key.key_id, ctx.res);
  if (route.bulk === true) {
    // Checked before it waits: keys without the right to submit must not take slots from the others.
    const submitter = { key, mayPass: () => mustBeAllowed(key, route) };
    return services.receiveBulk(ctx, submitter, ({ size, hash, read }) => {
      services.rateLimit.charge(key.key_id, submissionPoints(size), ctx.res);
      return answer(ctx, route, key, services, { hash: () => hash, read });
    });
  }
  if (route.method === 'GET') {
    mustBeAllowed(key, route);
    return answer(ctx, route, key, services, noBody);
  }
  return handleBody(ctx, route, key, services);
}

async function handleBody(ctx: Context, route: Route, key: KeyEntry, services: RouteServices): Promise<void> {
  const memory = services.admission.reserve('bodies', holderOf(key, ctx.res));
  try {
    const bytes = await services.readBody(ctx, async (most) => {
      // Before the first byte is read: a key that may not write must not fill the memory of those that may.
      mustBeAllowed(key, route);
      await memory.take(most);
      demandBodyPace(ctx.req, most);
    });
    services.rateLimit.charge(key.key_id, bodyPoints(bytes.length), ctx.res);
    await answer(ctx, route, key, services, {
      hash: () => hash(bytes),
      read: () => services.validate.body(route.body, parseBody(bytes)),
    });
  } finally {
    memory.release();
  }
}

/** A body whose bytes have arrived. */
type ArrivedBody = {
  /** SHA-256, in hexadecimal digits. */
  hash(): string;
  /** Its content, parsed and checked. @throws AppError where it is not valid. */
  read(now: Instant): unknown;
};

const noBody: ArrivedBody = { hash: () => hash(''), read: () => undefined };

async function answer(
  ctx: Context,
  route: Route,
  key: KeyEntry,
  services: RouteServices,
  arrived: ArrivedBody,
): Promise<void> {
  const memory = answerMemory(services.admission, holderOf(key, ctx.res), ctx);
  const { rateLimit } = services;
  const rate: Call['rate'] = {
    charge: (points) => rateLimit.charge(key.key_id, points, ctx.res),
    check: () => rateLimit.check(key.key_id, ctx.res),
  };
  // A write that is done must be answered, so there is room for its answer before it begins.
  if (route.method !== 'GET') await memory.makeRoom(1);
  const touched = new Set<string>();
  const work = async (attempt?: IdempotentRequest): Promise<Reply> => {
    const query = services.validate.query(route.query, ctx);
    const at = attempt?.at ?? instant(services.clock);
    const read = arrived.read(at);
    const body = read instanceof Promise ? ((await read) as unknown) : read;
    const call = callOf(ctx, key, { query, body }, { at, services, attempt, memory, rate, touched });
    try {
      return await route.handle(call);
    } catch (error) {
      failBehind(ctx, error);
    }
  };
  const idempotencyKey = route.method === 'POST' ? ctx.req.headers['idempotency-key'] : undefined;
  if (idempotencyKey === undefined) {
    const reply = await work();
    if (isStream(reply)) {
      return services.streams.send(ctx, reply, () => holds(services.keys, ctx.req, key));
    }
    if (route.method === 'GET') await sendDocument(ctx, reply, rate);
    else setLocation(ctx, send(ctx, reply), route);
    return memory.count();
  }
  const scope = [key.team_id, ctx.method, ctx.originalUrl];
  const keeping = {
    secret: route.secret ?? false,
    again: route.replayFromEvents ?? false,
    projects: touched,
  };
  const { project_ids } = key;
  const options = { key: String(idempotencyKey), scope, bodyHash: arrived.hash(), project_ids, keeping };
  const sent = await idempotently(services.idempotency, options, work);
  setLocation(ctx, sent, route);
  sendText(ctx, sent);
  memory.count();
}

/** Sets the answer to a GET, and what it may have besides: a 304 or compression. */
async function sendDocument(ctx: Context, reply: Reply, rate: Call['rate']): Promise<void> {
  const { status, body } = reply;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const sent = isObject ? { status, body: await jsonInTurns(body) } : toSent(reply);
  if (reply.headers !== undefined) setHeaders(ctx, reply.headers);
  if (reply.isWhole === true) ctx.remove(READ_LAG);
  sendText(ctx, sent, reply.type);
  if (reply.charged !== true) rate.charge(answerPoints(sent.body?.length ?? 0));
  tag(ctx);
  await compress(ctx);
}

function setLocation(ctx: Context, sent: RenderedReply, { location }: Route): void {
  const found = locationOf(sent, location);
  if (found !== null) ctx.res.setHeader('Location', found);
}

type Around = {
  at: Instant;
  services: RouteServices;
  attempt: IdempotentRequest | undefined;
  memory: AnswerMemory;
  /** Gets the projects of which the answer tells. */
  touched: Set<string>;
  rate: Call['rate'];
};

/** What a command knows of a request that is tried once. */
export function contextOf(key: KeyEntry, at: Instant, correlationId: string): CommandContext {
  const actor = key.build?.actor ?? key.key_id;
  const { team_id: team, project_ids } = key;
  return { team, project_ids, actor, at, correlationId, ids: newIds, resumed: false };
}

function callOf(
  ctx: Context,
  key: KeyEntry,
  input: Pick<Call, 'query' | 'body'>,
  { at, services, attempt, memory, rate, touched }: Around,
): Call {
  const { freshness, publicUrl } = services;
  const context: Call['context'] = contextOf(key, at, ctx.state['requestId'] as string);
  context.touched = (project) => void touched.add(project);
  context.client = () => services.sealClient(key.person_id, clientIn(ctx));
  if (attempt !== undefined) {
    const { ids, resumed, takenOver } = attempt;
    Object.assign(context, { ids, resumed, takenOver });
  }
  const waits = waitsOf(freshness, key.team_id, (lag) => {
    const known = Number(ctx.res.getHeader(READ_LAG) ?? 0);
    if (lag > known) ctx.set(READ_LAG, String(lag));
  });
  return {
    key,
    params: ctx['params'] as Record<string, string>,
    query: input.query,
    body: input.body,
    origin: () => publicOrigin(publicUrl, ctx.req),
    accepts: <T extends string>(types: readonly T[]) => (ctx.accepts(...types) || null) as T | null,
    header: (name) => {
      const value = ctx.req.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    client: clientIn(ctx),
    rate,
    context,
    async waitFor(...models) {
      const current = await waits(...models);
      // After the wait, during which the request needs no memory.
      const records = recordsAskedFor(input.query);
      await memory.makeRoom(records);
      // Those that waited for room may find that the answers before them brought the key into debt.
      if (records > 1 && ctx.method === 'GET') rate.check();
      return current;
    },
  };
}

/** Read models that are behind may lack a thing that the team has made: a 404 would deny what was answered before. */
function failBehind(ctx: Context, error: unknown): never {
  if (!isAppError(error, 'not_found') || !ctx.res.hasHeader(READ_LAG)) throw error;
  fail('views_behind', 'The read models are behind, so it is not known yet whether this exists.', {
    retryAfter: 1,
  });
}

/** The records that the answer can have: one, or a page of them. */
function recordsAskedFor({ page_size, per_page }: Call['query']): number {
  return Number(page_size ?? per_page ?? 1);
}

function isStream(reply: Reply): reply is StreamReply {
  return reply.stream !== undefined;
}

/** Writes a reply without a stream. */
export function send(ctx: Context, reply: Reply): RenderedReply {
  if (reply.headers !== undefined) setHeaders(ctx, reply.headers);
  const sent = toSent(reply);
  sendText(ctx, sent, reply.type);
  return sent;
}

/** A long body is its bytes already. */
type Sent = { status: number; body: string | Buffer | null };

function sendText(ctx: Context, { status, body }: Sent, type = 'application/json'): void {
  ctx.status = status;
  if (body === null) return;
  // Set on the response of Node: Koa would look up the media type of every answer.
  ctx.res.setHeader('Content-Type', `${type}; charset=utf-8`);
  ctx.body = body;
}
