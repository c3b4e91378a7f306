/**
 * The calls of a live run over `node:http` alone. Those of the client go through `Headers`, `Response` and streams of the
 * web: they take several times as long, and the tests wait meanwhile.
 */
// Loaded before the tests: they replace the globals.
import { clearTimeout, setTimeout } from 'node:timers';
import { checkCallerSettings, type CallerSettings } from '../caller-settings.js';
import { errorOf, TestledgerError } from '../errors.js';
import { parsed } from '../read-body.js';
import type { SubmittingCall, SubmittingCaller } from '../submit-run.js';
import type { HttpRequest, SendHttp } from './http-request.js';

/** An answer beyond this is not one of a submission. */
const ANSWER_CHARACTERS = 4 * 1_024 * 1_024;

/** Repeats nothing: the live run does. @throws TestledgerError `invalid_call` for a URL or a key that cannot be one */
export function openHttpCaller(sendHttp: SendHttp, settings: CallerSettings): SubmittingCaller {
  checkCallerSettings(settings);
  const base = settings.url.replace(/\/+$/, '');
  const urlOf = (path: string) => base + path;
  return {
    project: settings.project,
    timeoutMs: settings.timeoutMs,
    urlOf,
    async call<T>(method: 'POST', path: string, { content, signal, ...call }: SubmittingCall) {
      const { status, headers, text } = await answerTo(sendHttp, {
        method,
        url: urlOf(path),
        headers: {
          Authorization: `Bearer ${settings.apiKey}`,
          Accept: 'application/json',
          'User-Agent': settings.userAgent,
          'Content-Type': 'application/json',
          ...(call.idempotencyKey !== null && { 'Idempotency-Key': call.idempotencyKey }),
          ...call.headers,
        },
        body: content,
        signal,
        timeoutMs: call.timeoutMs ?? settings.timeoutMs,
      });
      const body = parsed(text);
      if (status < 200 || status > 299) throw errorOf({ status, headers }, body);
      if (body !== undefined) return body as T;
      const message = `${method} ${urlOf(path)} was answered with something that is not JSON`;
      throw new TestledgerError('bad_answer', message, { status });
    },
  };
}

type Asked = HttpRequest & { url: string; timeoutMs: number };

type Answer = { status: number; headers: { get(name: string): string | null }; text: string };

/** @throws TestledgerError `unreachable`, `timeout`, `bad_answer`; the reason of the signal */
async function answerTo(sendHttp: SendHttp, { url, timeoutMs, signal, ...request }: Asked): Promise<Answer> {
  const what = `${request.method} ${url}`;
  signal?.throwIfAborted();
  const aborting = new AbortController();
  const abort = () => aborting.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const late = () =>
    aborting.abort(new TestledgerError('timeout', `${what} was not answered in ${timeoutMs} ms`));
  const timer = setTimeout(late, timeoutMs);
  try {
    const answer = await sendHttp(url, { ...request, signal: aborting.signal });
    let text = '';
    answer.setEncoding('utf8');
    for await (const part of answer) {
      text += part as string;
      if (text.length > ANSWER_CHARACTERS)
        throw new TestledgerError('bad_answer', `The answer has more than ${ANSWER_CHARACTERS} characters.`);
    }
    const get = (name: string) => answer.headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
    return { status: answer.statusCode ?? 500, headers: { get }, text };
  } catch (error) {
    aborting.signal.throwIfAborted();
    if (error instanceof TestledgerError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new TestledgerError('unreachable', `${what} failed: ${message || code}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
