/** Requests to the API of a forge. */
import { setTimeout as pause } from 'node:timers/promises';
import { retryAfterMs } from '../../client/errors.js';
import { readBody } from '../../client/read-body.js';
import { version } from '../../version.js';
import { fetchOfProcess } from '../fetch.js';

/** Its message is for the person who set up the pipeline. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
}

export type ForgeRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  content?: unknown;
};

/** Where a repository is on a forge, and what each request to it has. */
export type Repository = {
  /** Of the API, without a slash at its end. */
  api: string;
  /** The address of the repository in the API. */
  base: string;
  headers: Readonly<Record<string, string>>;
};

const TIMEOUT_MS = 30_000;
/** A page of comments has at most 50 × 64 KiB, and some more about their authors. */
const ANSWER_BYTES = 8 * 1024 * 1024;

const MOST_TRIES = 4;
/** Without a `Retry-After`, before the second try; doubled before each further one. */
const FIRST_PAUSE_MS = 1_000;
/** A job does not wait for longer: a primary limit may last an hour. */
const LONGEST_PAUSE_MS = 60_000;

/** `retryAfterMs`: what its `Retry-After` says; null without one. */
export type ForgeAnswer = { status: number; body: unknown; retryAfterMs: number | null };

/**
 * Answers of any status, after a few tries where a later one may succeed: many jobs comment at the same time, and forges
 * slow them down. @throws ForgeError where there is no answer
 */
export async function ask(request: ForgeRequest): Promise<ForgeAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await askOnce(request);
    const pauseMs = answer.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1);
    if (tries === MOST_TRIES || !mayRepeat(request, answer) || pauseMs > LONGEST_PAUSE_MS) return answer;
    await pause(pauseMs);
  }
}

/** A forge that failed may have made the comment before: only a limit refuses a POST for certain. */
function mayRepeat({ method }: ForgeRequest, answer: ForgeAnswer): boolean {
  return isLimit(answer) || (answer.status >= 500 && method !== 'POST');
}

/** GitHub answers 403 for its limits too. */
export function isLimit({ status, body, retryAfterMs }: ForgeAnswer): boolean {
  return (
    status === 429 ||
    (status === 403 && (retryAfterMs !== null || /rate limit/iu.test(messageIn(body) ?? '')))
  );
}

async function askOnce({ method, url, headers, content }: ForgeRequest): Promise<ForgeAnswer> {
  try {
    const fetch = await fetchOfProcess();
    const response = await fetch(url, {
      method,
      // Only `Authorization` is left out for another host, and GitLab's token is in a header of its own.
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        'User-Agent': `testledger/${version}`,
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(content !== undefined && { body: JSON.stringify(content) }),
    });
    const bytes = await readBody(response, ANSWER_BYTES, () => {
      throw new ForgeError(`the answer of ${url} has more than ${ANSWER_BYTES} bytes`);
    });
    return {
      status: response.status,
      body: jsonIn(bytes.toString()),
      retryAfterMs: retryAfterMs(response.headers.get('Retry-After')),
    };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new ForgeError(`${method} ${url} failed: ${reason}`, { cause: error });
  }
}

/**
 * The body of a success, which is an object or a list; null for a 204. @throws ForgeError for any other answer; `advice`
 * is for 403 and 404.
 */
export async function askForSuccess(request: ForgeRequest, advice: string): Promise<unknown> {
  const answer = await ask(request);
  const { status, body } = answer;
  if (status === 204) return null;
  if (status >= 200 && status < 300) {
    if (typeof body === 'object' && body !== null) return body;
    throw new ForgeError(`${request.method} ${request.url} was answered with something that is not JSON.`);
  }
  throw refusalOf(request, answer, advice);
}

export const PER_PAGE = 50;

export type ListBounds = { advice: string; mostPages: number; isWholeNeeded?: boolean };

export type ReadList<T> = (again?: 'again') => AsyncGenerator<T, void>;

/**
 * Returns a function that reads a list page by page: from the first page on or, `again`, from the one with which it ended
 * the last time. `pageOf`: the request of a page with up to `PER_PAGE` entries. It ends after `mostPages`, with `isWholeNeeded`
 * by an error. @throws as `askForSuccess`
 */
export function listReader<T>(
  pageOf: (page: number) => ForgeRequest,
  { advice, mostPages, isWholeNeeded = false }: ListBounds,
): ReadList<T> {
  let reached = 1;
  return async function* (again) {
    for (let page = again === undefined ? 1 : reached; page <= mostPages; page += 1) {
      reached = page;
      const request = pageOf(page);
      const found = await askForSuccess(request, advice);
      if (!Array.isArray(found))
        throw new ForgeError(`${request.method} ${request.url} was not answered with a list.`);
      yield* found as T[];
      if (found.length < PER_PAGE) return;
    }
    if (isWholeNeeded)
      throw new ForgeError(
        `${pageOf(1).url} has more than ${mostPages * PER_PAGE} entries, too many to read.`,
      );
  };
}

/** The error of an answer that is no success. */
export function refusalOf({ method, url }: ForgeRequest, answer: ForgeAnswer, advice: string): ForgeError {
  const message = messageIn(answer.body);
  const said = message === null ? '' : `: ${message}`;
  const help = isLimit(answer) ? '' : helpFor(answer.status, advice);
  return new ForgeError(`${method} ${url} was answered ${answer.status}${said}.${help}`);
}

function helpFor(status: number, advice: string): string {
  if (status === 401) return ' The token is wrong, or it has ended.';
  return status === 403 || status === 404 ? ` ${advice}` : '';
}

function messageIn(body: unknown): string | null {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : null;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The page of a proxy. The status says enough.
    return null;
  }
}
