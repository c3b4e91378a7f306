/** The middleware around every request: its id, its log line, its measurements, and the answer to an error. */
import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { errors, fail, isAppError, reasonOf, type ErrorCode } from '../errors.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { Client } from '../people/client.js';
import { clientOn } from './client-on.js';
import { send } from './handle-request.js';
import { dropBody } from './bodies/drop-body.js';
import type { Metrics } from './metrics.js';
import { keepPrivate } from './protocol/headers.js';
import { refusalInPlaceOfApp, type Refusal } from './protocol/refusals.js';
import { mustBeWellFormed } from './protocol/well-formed.js';
import { problemReply, surfaceOf } from './problems/reply.js';
import { version } from '../version.js';

/** A year, after which a browser that has not come back may use http again. */
const STAY_WITH_HTTPS = 'max-age=31536000';

/**
 * Takes the id that the client sent, or makes one. Sets the headers that every answer has. `https`: clients reach the
 * server by https, and must not be led to http by anybody.
 */
export function identify({ https }: { https: boolean }): Middleware {
  return (ctx, next) => {
    const sent = ctx.req.headers['x-request-id'];
    const id = typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
    ctx.state['requestId'] = id;
    ctx.res.setHeader('X-Request-Id', id);
    keepPrivate(ctx.res);
    if (isOfApi(ctx.path)) ctx.res.setHeader('Testledger-Version', version);
    if (https) ctx.res.setHeader('Strict-Transport-Security', STAY_WITH_HTTPS);
    return next();
  };
}

/** Whose clients compare it with their own version. */
function isOfApi(path: string): boolean {
  return path.startsWith('/v1/');
}

/** Counts a request and writes its line in the log. `trustedProxies`: CIDRs whose word on the address of a client counts. */
export function observe(
  logger: Logger,
  metrics: Metrics,
  { trustedProxies }: { trustedProxies: readonly string[] },
): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    ctx.state['client'] = clientOn(ctx.req, trustedProxies);
    await next();
    const ended = performance.now();
    const status = statusOf(ctx);
    measure(metrics, ctx, { status, began, ended });
    log(logger, ctx, { status, ms: Math.round((ended - began) * 10) / 10 });
  };
}

/** A client that takes a key for its id puts it into the path; no secret belongs in the log. */
const aKey = /tl_[0-9A-Za-z]+/g;
/** The paths of links that let their holder in. */
const aLink = /^\/(first-start|invitations|reset|shared|badges)\/.+/;

function withoutSecrets(path: string): string {
  const shown = path.includes('tl_') ? path.replace(aKey, 'tl_…') : path;
  return aLink.test(shown) ? shown.replace(aLink, '/$1/…') : shown;
}

/** Writes the line of a request. */
function log(logger: Logger, ctx: Context, { status, ms }: { status: number; ms: number }): void {
  const line: Record<string, unknown> = {
    request_id: ctx.state['requestId'],
    method: ctx.method,
    path: withoutSecrets(ctx.path),
    status,
    ms,
  };
  addSender(line, ctx.state);
  const error: unknown = refusalInPlaceOfApp(ctx.res) ?? ctx.state['error'];
  if (status >= 500 && !expected.has(status)) logger.error({ ...line, err: error }, 'request failed');
  else if (isAppError(error)) {
    // Often no other line says why a store is unavailable.
    const why = status === 503 && { why: reasonOf(error) };
    logger.info({ ...line, code: error.code, ...why }, 'request refused');
  } else logger.info(line, 'request');
}

/** Who sent a request, as far as it is known, and from which network. */
function addSender(line: Record<string, unknown>, { key, person, client }: Context['state']): void {
  if (key !== undefined) line['key_id'] = (key as KeyEntry).key_id;
  if (person !== undefined) line['person_id'] = person;
  line['client'] = (client as Client).network;
}

/** Statuses of 500 and more that say nothing about a fault of the server. */
const expected = new Set([501, 503, 505]);

function statusOf(ctx: Context): number {
  const refusal = refusalInPlaceOfApp(ctx.res);
  return refusal === undefined ? ctx.status : errors[refusal.code].status;
}

/** Writes the line and counts the refusal of a request that did not reach the app. */
export function reportRefusals(logger: Logger, metrics: Metrics): (refusal: Refusal) => void {
  return ({ requestId: request_id, method, path, code }) => {
    const { status } = errors[code];
    metrics.refusedUnread(status);
    const line = { request_id, method, path: path && withoutSecrets(path), status, code };
    logger.info(line, 'request refused unread');
  };
}

/** Counts a request by its route, with the time that it took. */
function measure(
  metrics: Metrics,
  { method, state }: Context,
  { status, began, ended }: { status: number; began: number; ended: number },
): void {
  const route = (state['route'] as string | undefined) ?? 'none';
  // Of a stream, the time to its first byte counts: how long its reader stays says nothing about the server.
  const end = (state['streamBeganAt'] as number | undefined) ?? ended;
  metrics.request(method, route, status, end - began);
}

/** Answers with the error that a route throws, in the form of its surface, and refuses what is not HTTP. */
export function answerErrors(): Middleware {
  return async (ctx, next) => {
    try {
      mustBeWellFormed(ctx.req);
      await next();
    } catch (error) {
      ctx.state['error'] = error;
      if (refusalInPlaceOfApp(ctx.res) !== undefined) return;
      // These headers belong to the answer that was given up.
      ctx.remove('Content-Encoding');
      ctx.remove('ETag');
      send(ctx, problemReply(surfaceOf(ctx.path), error, ctx.state['requestId'] as string));
      if (isAppError(error) && notHttp.has(error.code)) ctx.set('Connection', 'close');
      if (!ctx.req.complete) dropBody(ctx);
    }
  };
}

/** After these, the server cannot know where the next request on the connection begins. */
const notHttp = new Set<ErrorCode>(['malformed_request', 'not_implemented', 'http_version_not_supported']);

/** Answers requests without a route: 404 for an unknown path; else 405 or the answer to OPTIONS, with the methods. */
export function notFoundOr405(
  all: Router['stack'],
  missingPage?: (ctx: Context) => Promise<void>,
): Middleware {
  return (ctx) => {
    // `*` stands for the server as a whole (RFC 9110, section 9.3.7).
    if (ctx.req.url === '*' && ctx.method === 'OPTIONS') return answerOptions(ctx, all);
    // Each router adds its routes that have the path, whatever their methods.
    const matched = ctx['matched'] as Router['stack'];
    if (matched.length === 0) {
      // A person has mistyped it. Programs, which ask for JSON or for anything, get what the API answers.
      const isPage = ctx.method === 'GET' && ctx.accepts('json', 'html') === 'html';
      if (isPage && missingPage !== undefined) return missingPage(ctx);
      fail('not_found', 'This path does not exist.');
    }
    answerOptions(ctx, matched);
  };
}

/** Answers OPTIONS with the methods. @throws AppError `method_not_allowed` for another method. */
function answerOptions(ctx: Context, layers: readonly { methods: string[] }[]): void {
  const allowed = [...new Set(['OPTIONS', ...layers.flatMap(({ methods }) => methods)])].sort();
  ctx.set('Allow', allowed.join(', '));
  if (ctx.method !== 'OPTIONS') fail('method_not_allowed', `This path supports ${allowed.join(', ')}.`);
  ctx.status = 204;
}
