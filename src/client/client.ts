/** A client of the API: its typed paths, and the calls that take several requests. */
import openapiFetch, { type Client as TypedPaths } from 'openapi-fetch';
import { randomUUID } from 'node:crypto';
import { version } from '../version.js';
import { openCaller, type CallOptions, type Caller } from './call.js';
import { consumeEvents, type Consumed, type Consuming } from './consume-events.js';
import { errorOf } from './errors.js';
import type { ArtifactRecord, paths } from './api.generated.js';
import { defaultRetries, send, type Retries } from './send.js';
import {
  submitRun,
  submitRunWith,
  type RunToSubmit,
  type SubmitOptions,
  type SubmittedRun,
  type WrittenResults,
} from './submit-run.js';
import type { ArtifactToUpload, UploadOptions } from './upload-artifact.js';
import { uploadArtifact, uploadArtifacts, type NamedArtifact, type Uploaded } from './upload-artifacts.js';
import type { Masker } from './masking/masker.js';

export type ClientOptions = {
  /** Where the server is, such as `https://ledger.example.org`. */
  url: string;
  apiKey: string;
  /** The id of the project of runs that name none. */
  project?: string;
  fetch?: typeof fetch;
  /** For each attempt of a request, until its whole answer is there; 30 s without it. Large calls have longer. */
  timeoutMs?: number;
  /** Comes before the name of this client, such as `our-tool/1.2`. */
  userAgent?: string;
  retries?: Partial<Retries>;
};

/**
 * `GET`, `POST` and the others are those of openapi-fetch: they return `{ data, error, response }`, and `unwrap` turns
 * that into the data or an error. Every request is repeated where that can help, and every POST has an
 * `Idempotency-Key`, so that a repeat has no second effect.
 */
export type Client = TypedPaths<paths> & {
  readonly project: string | undefined;
  submitRun(run: RunToSubmit, options?: SubmitOptions): Promise<SubmittedRun>;
  submitRunWith(
    run: Omit<RunToSubmit, 'results'>,
    results: WrittenResults,
    options?: SubmitOptions,
  ): Promise<SubmittedRun>;
  uploadArtifact(
    artifact: ArtifactToUpload,
    options?: UploadOptions & { masker?: Masker },
  ): Promise<ArtifactRecord>;
  uploadArtifacts(
    artifacts: readonly NamedArtifact[],
    options?: CallOptions & { masker?: Masker },
  ): Promise<Uploaded[]>;
  consumeEvents(consuming: Consuming): Promise<Consumed>;
};

const TIMEOUT_MS = 30_000;

/** @throws TestledgerError `invalid_call` for a URL or a key that cannot be one */
export function createClient(options: ClientOptions): Client {
  const { url, apiKey, project, timeoutMs = TIMEOUT_MS, userAgent, fetch = globalThis.fetch } = options;
  const own = `testledger-client/${version}`;
  const caller = openCaller({
    url,
    apiKey,
    project,
    timeoutMs,
    fetch,
    retries: { ...defaultRetries, ...options.retries },
    userAgent: userAgent === undefined ? own : `${userAgent} ${own}`,
  });
  return {
    ...openapiFetch<paths>({
      baseUrl: caller.urlOf('/').slice(0, -1),
      fetch: (request) => sendRequest(caller, request),
    }),
    project,
    submitRun: (run, more) => submitRun(caller, run, more),
    submitRunWith: (run, results, more) => submitRunWith(caller, run, results, more),
    uploadArtifact: (artifact, more) => uploadArtifact(caller, artifact, more),
    uploadArtifacts: (artifacts, more) => uploadArtifacts(caller, artifacts, more),
    consumeEvents: (consuming) => consumeEvents(caller, consuming),
  };
}

async function sendRequest(caller: Caller, request: Request): Promise<Response> {
  const { method, url, signal } = request;
  const content = request.body === null ? null : await request.arrayBuffer();
  const answer = await send(caller.sending, {
    method,
    url,
    headers: {
      ...caller.headers(),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...Object.fromEntries(request.headers),
    },
    timeoutMs: caller.timeoutMs,
    signal,
    answer: 'json',
    ...(content !== null && { body: () => content }),
  });
  const headers = new Headers([...answer.headers]);
  // They are those of the transport, and not true of a body in memory.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(answer.bytes.length === 0 ? null : answer.bytes, { status: answer.status, headers });
}

/**
 * Returns the data of a call by `GET`, `POST` or the others. @throws TestledgerError where the answer is no success.
 */
export async function unwrap<T>(
  answering: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answering;
  if (!response.ok) throw errorOf(response, error);
  return data as T;
}

export type { CallOptions };
