/** What one person or key did to slow down all teams of a server, and what another team sees meanwhile. */
import { randomUUID } from 'node:crypto';
import { Agent, request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { givenProject, givenSubmission } from '../../http/given.js';
import type { Api } from '../../kit/client.js';
import type { RunningServer } from '../../kit/process.js';

type Headers = Record<string, string>;

/** `bytes`: of the body, which is not kept. `ms`: until its last byte. */
export type Answered = { status: number; bytes: number; ms: number };

/** Sends a GET by a connection that stays open, and drops the body. */
export function getter(url: string, path: string, headers: Headers): () => Promise<Answered> {
  const send = sender();
  return () => send(url + path, { headers }, '');
}

/** Signs in with a wrong password, each time as somebody else, and drops the answer. */
export function guesser(url: string): () => Promise<Answered> {
  const send = sender();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    accept: 'text/html',
  };
  return () => {
    const form = new URLSearchParams({ email: `${randomUUID()}@example.org`, password: 'a wrong password' });
    return send(`${url}/sign-in`, { method: 'POST', headers }, form.toString());
  };
}

function sender() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (url: string, options: { method?: string; headers: Headers }, body: string): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      request(url, { agent, ...options }, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode!, bytes, ms: performance.now() - began }));
      })
        .on('error', reject)
        .end(body);
    });
}

/** Asks again and again by some connections, until the end. A refusal is repeated at once. */
export function flood(connections: number, ask: () => () => Promise<Answered>) {
  let isOver = false;
  const answers: Answered[] = [];
  const all = Array.from({ length: connections }, async () => {
    const get = ask();
    while (!isOver) answers.push(await get());
  });
  return async () => {
    isOver = true;
    await Promise.all(all);
    return answers;
  };
}

/** Opens streams of live parts, and reads them until the end. */
export async function followAll(url: string, paths: readonly string[], headers: Headers) {
  const answers = await Promise.all(
    paths.map(
      (path) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          request(url + path, { headers: { ...headers, accept: 'text/event-stream' } }, (answer) => {
            answer.on('error', () => undefined).resume();
            resolve(answer);
          })
            .on('error', reject)
            .end();
        }),
    ),
  );
  return {
    opened: answers.filter(({ statusCode }) => statusCode === 200).length,
    end: () => answers.forEach((answer) => answer.destroy()),
  };
}

/** The times of a GET of another team, every 20 ms for some seconds, in milliseconds. */
export async function timesOf(get: () => Promise<Answered>, seconds: number) {
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const { status, ms } = await get();
    expect(status).to.equal(200);
    times.push(ms);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, 20 - ms)));
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]!;
  return { p50: at(0.5), p99: at(0.99), most: at(1), count: times.length };
}

/** A run of 100 groups of failures, each with a message and metadata near their limits: an answer of about 8 MB. */
export async function givenLargeFailures(api: Api): Promise<string> {
  const project = await givenProject(api);
  const item = (n: number) => ({
    name: `test ${n}`,
    status: 'failed',
    error_message: `${wordsOf(n)} ${'m'.repeat(12_000)}`,
    metadata: { text: 'x'.repeat(60_000), error: { stack: `at ${wordsOf(n)} (a.js:1:1)` } },
  });
  const { run } = await givenSubmission(
    api,
    project,
    Array.from({ length: 100 }, (_, n) => item(n)),
  );
  return run;
}

/** Words without digits: numbers do not tell groups of failures apart. */
function wordsOf(n: number): string {
  return String(n).replace(/\d/g, (digit) => `${'abcdefghij'[Number(digit)]!.repeat(5)} `);
}

/** A result with 250 KiB of colours, and two long texts that differ in every other line. */
export async function givenHostileResult(api: Api): Promise<string> {
  const project = await givenProject(api);
  const colours = Array.from({ length: 21_000 }, (_, n) => `\u001b[${31 + (n % 6)}m${n % 10}x`).join('');
  const lines = (sign: string) =>
    Array.from({ length: 1_400 }, (_, n) => (n % 2 === 0 ? `line ${n}` : `${sign} ${n}`)).join('\n');
  const error = {
    expected: lines('expected'),
    actual: lines('actual'),
    stack: Array.from({ length: 300 }, (_, n) => `    at f${n} (/a/node_modules/b${n % 3}/c.js:${n}:1)`).join(
      '\n',
    ),
  };
  const item = { name: 'hostile', status: 'failed', error_message: colours, metadata: { error } };
  const { results } = await givenSubmission(api, project, [item]);
  return results[0]!;
}

/** Makes the owner's account by the link of the first start. Returns the headers of their session. */
export async function givenSession(server: RunningServer): Promise<Headers> {
  const link = /\/first-start\/[\w-]{43}/.exec(server.stderr())![0];
  const body = new URLSearchParams({
    name: 'Olga',
    email: 'olga@example.org',
    password: 'the password of Olga',
  });
  const made = await fetch(server.url + link, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body,
  });
  expect(made.status).to.equal(303);
  return { cookie: made.headers.getSetCookie()[0]!.split(';')[0]!, accept: 'text/html' };
}
