/** A route as data: who may call it, its input, and its handler. `handle-request.ts` does the rest. */
import type { CommandContext } from '../commands/command-context.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { ReadModel } from '../projecting/freshness.js';
import type { MemberRole } from '../domain/teams/roles.js';
import { invalid } from '../errors.js';
import type { Client } from '../people/client.js';
import type { Context } from 'koa';
import type { Operation } from './openapi/operation.js';
import type { SubjectKind } from './as-of/subject-kind.js';
import type { Requests } from './requests.generated.js';

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the base of the surface. */
  path: string;
  /** This route needs the query parameter: the same path without it is another route. */
  withQuery?: string;
  /** What the API document says of it. */
  operation: Operation;
  /** The lowest role of a key that may call it. */
  role: MemberRole;
  /** Keys of the role `reporter` may call it, too. */
  reporter?: boolean;
  /** Keys of some projects may not call it. */
  wholeTeam?: boolean;
  /** Only keys of the operator's team may call it. */
  operator?: boolean;
  /** With `as_of`, it answers what it answered at that moment. It says of what the path is. */
  asOf?: SubjectKind;
  query?: keyof Requests;
  body?: keyof Requests;
  /** The body is a whole run: it waits for a slot, another thread reads it, and it comes as a `Submission`. */
  bulk?: boolean;
  /** The path below which the thing that a 201 reports has its own. */
  location?: string;
  /** The answer holds a secret: it is never stored for a repeat. */
  secret?: boolean;
  /** The answer holds a signed URL: it is not stored for a repeat, which is answered again from its events. */
  replayFromEvents?: boolean;
  handle(call: Call): Promise<Reply>;
};

/** A route without a key. */
export type OpenRoute = {
  /** Default: GET, and HEAD with it. */
  method?: 'GET' | 'PUT' | 'POST';
  path: string;
  operation: Operation;
  /** The schema of a body that is JSON. */
  body?: keyof Requests;
  handle(ctx: Context): Promise<void>;
};

export type Call = {
  key: KeyEntry;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | number | undefined>>;
  body: unknown;
  /** Scheme, host and port by which the client reached the server, for URLs that lead back here. */
  origin(): string;
  /** The media type that the client prefers, the first if it has no preference; null if it accepts none of them. */
  accepts<T extends string>(types: readonly T[]): T | null;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
  /** Where the request comes from. */
  client: Client;
  /** The rate limit of the key, for what a request costs beyond its first point. */
  rate: { charge(points: number): void; check(): void };
  /** For commands: the ids and the instant that this request uses at every attempt. */
  context: CommandContext;
  /**
   * Waits until these read models show everything that was written before this call. Returns false if they do not in
   * time: the answer then shows what they have, and its header says how far they are behind.
   */
  waitFor(...models: ReadModel[]): Promise<boolean>;
};

export type Reply = {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  type?: string;
  /** It lacks nothing, however far the read models were that were waited for. */
  isWhole?: true;
  /** What was charged for the work counts this answer too. */
  charged?: true;
  /** In place of a body. For a GET only, since no stream is stored for a repeat. */
  stream?: Stream;
};

export type Stream = {
  /** The content, which ends on the signal. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array | string>;
  /** It never ends by itself, so that a client does not take its end at a stop for the end of the data. */
  endless: boolean;
};

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** Gives a handler the type of its body, which was checked by the schema of that name. */
export function withBody<B extends keyof Requests>(
  body: B,
  handle: (call: Omit<Call, 'body'> & { body: Requests[B] }) => Promise<Reply>,
): Pick<Route, 'body' | 'handle'> {
  return { body, handle: (call) => handle(call as Call & { body: Requests[B] }) };
}

/**
 * The id of the resource that a route acts on, from the path or the query.
 * @throws AppError `validation_failed` where both are missing, or where they differ.
 */
export function targetIdOf({ params, query }: Pick<Call, 'params' | 'query'>, name: string): string {
  const [inPath, inQuery] = [params[name], query[name]];
  if (inPath !== undefined && inQuery !== undefined && inPath !== inQuery) {
    invalid(`?${name}`, 'two_subjects', 'differs from the one in the path');
  }
  const id = inPath ?? inQuery;
  if (id === undefined) invalid(`?${name}`, 'required', 'is required');
  return String(id);
}
