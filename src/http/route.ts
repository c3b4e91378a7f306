/** A route as data: who may call it, what it takes, and what it answers. `app.ts` does the rest. */
import type { CommandContext } from '../commands/ledger.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { KeyRole } from '../domain/team.js';
import { invalid } from '../errors.js';
import type { Context } from 'koa';
import type { Requests } from './requests.generated.js';
import type { Stream } from './streams.js';

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the surface's base. */
  path: string;
  /** The same path without this query parameter is another route. */
  withQuery?: string;
  /** The lowest role that may call it. */
  role: KeyRole;
  /** Only keys of the operator's team may. */
  operator?: boolean;
  query?: keyof Requests;
  body?: keyof Requests;
  /** The body is a whole run: it is read in its turn and by another thread, and comes as a `Submission`. */
  bulk?: boolean;
  /** The answer holds a secret: it is never kept for a repeat. */
  secret?: boolean;
  /** The answer holds a capability: it is not kept for a repeat, which is answered anew from its events. */
  replayFromEvents?: boolean;
  handle(call: Call): Promise<Reply>;
};

/** A route without a key. */
export type OpenRoute = {
  /** Default: GET, and HEAD with it. */
  method?: 'GET' | 'PUT';
  path: string;
  handle(ctx: Context): Promise<void>;
};

export type Call = {
  key: KeyEntry;
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | number | undefined>>;
  body: unknown;
  /** Scheme, host and port by which the client reached us, for URLs that lead back here. */
  origin: string;
  /** Which of these media types the client would rather have, the first where it does not mind; null for none of them. */
  accepts<T extends string>(types: readonly T[]): T | null;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
  /** For commands: the ids and the instant that this request uses at every try. */
  context: CommandContext;
  /**
   * Waits until the views show what was written before this call. Where they do not in time, the client is told, and
   * the answer is false: then what is shown is what the views have.
   */
  waitForViews(): Promise<boolean>;
};

export type Reply = {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  type?: string;
  /** In place of a body. Of a GET only: no stream is kept for a repeat. */
  stream?: Stream;
};

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** Ties a handler to the type of its body, which the schema of the same name has checked. */
export function withBody<B extends keyof Requests>(
  body: B,
  handle: (call: Omit<Call, 'body'> & { body: Requests[B] }) => Promise<Reply>,
): Pick<Route, 'body' | 'handle'> {
  return { body, handle: (call) => handle(call as Call & { body: Requests[B] }) };
}

/** The id that a route is about, from the path or the query; given neither, or two that differ: a 400. */
export function targetIdOf({ params, query }: Pick<Call, 'params' | 'query'>, name: string): string {
  const [inPath, inQuery] = [params[name], query[name]];
  if (inPath !== undefined && inQuery !== undefined && inPath !== inQuery) {
    invalid(`?${name}`, 'two_subjects', 'differs from the one in the path');
  }
  const subject = inPath ?? inQuery;
  if (subject === undefined) invalid(`?${name}`, 'required', 'is required');
  return String(subject);
}
