/** Requests to the API of a forge. */
import { readBody } from '../../client/read-body.js';
import { version } from '../../version.js';
import { ForgeError } from './comment.js';

export type ForgeRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  content?: unknown;
};

const TIMEOUT_MS = 30_000;
/** A page of comments has at most 50 × 64 KiB, and some more about their authors. */
const ANSWER_BYTES = 8 * 1024 * 1024;

export type ForgeAnswer = { status: number; body: unknown };

/** Answers of any status. @throws ForgeError where there is none */
export async function ask({ method, url, headers, content }: ForgeRequest): Promise<ForgeAnswer> {
  try {
    const response = await fetch(url, {
      method,
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
    return { status: response.status, body: jsonIn(bytes.toString()) };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new ForgeError(`${method} ${url} failed: ${reason}`, { cause: error });
  }
}

/** @throws ForgeError for an answer that is no success; `advice` is for 401, 403 and 404. */
export async function askForSuccess(request: ForgeRequest, advice: string): Promise<unknown> {
  const { status, body } = await ask(request);
  if (status >= 200 && status < 300) return body;
  const { message } = (body ?? {}) as { message?: unknown };
  const said = typeof message === 'string' ? `: ${message}` : '';
  const help = [401, 403, 404].includes(status) ? ` ${advice}` : '';
  throw new ForgeError(`${request.method} ${request.url} was answered ${status}${said}.${help}`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The page of a proxy. The status says enough.
    return null;
  }
}
