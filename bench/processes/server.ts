/** The server under test: the real program, as a child process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithUs } from './child.js';
import { nodeAt } from './pinning.js';
import type { Seeded } from '../test-data/seed.js';
import { watchUsage } from './usage.js';

export type Server = Seeded & {
  url: string;
  pid: number;
  /** A request with the owner's key. @throws Error for an answer that is not a 2xx. */
  call(method: 'GET' | 'POST' | 'DELETE' | 'PATCH', path: string, body?: object): Promise<Called>;
  residentMiB(): Promise<number>;
  /** The link by which the first person becomes an owner. */
  firstStart(): Promise<string>;
  stop(): Promise<void>;
};

export type Called = { body: unknown; behind: boolean };

const programs = {
  bundled: fileURLToPath(new URL('../../program/main.js', import.meta.url)),
  /** Its profiles name our modules. */
  modules: fileURLToPath(new URL('../../src/main.js', import.meta.url)),
};

const FIRST_START = /http\S+\/first-start\/\S+/;

type Start = { nodeOptions?: readonly string[]; program?: keyof typeof programs };

/** Starts the server on a seeded folder, and waits until its read models show the whole history. */
export async function startServer(
  seeded: Seeded,
  { nodeOptions = [], program = 'bundled' }: Start = {},
): Promise<Server> {
  const logFile = join(seeded.folder, `server-${process.hrtime.bigint()}.log`);
  const output = openSync(logFile, 'w');
  const { command, before } = nodeAt('measured');
  const child = endWithUs(
    spawn(command, [...before, ...nodeOptions, programs[program]], {
      env: {
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: seeded.folder,
        EVENTS_URL: '',
        VIEWS_URL: '',
        BLOBS_URL: `file:${seeded.folder}`,
        ROLES: 'all',
        ...seeded.stores,
        SECRET_KEY: 'for the bench only: 32 characters or more',
        LOG_LEVEL: 'info',
        // High, but not off: its cost is part of the figure.
        RATE_LIMIT: '1000000',
      },
      stdio: ['ignore', output, 'pipe'],
    }),
  );
  closeSync(output);
  let printed = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (!FIRST_START.test(text)) process.stderr.write(text);
  });
  const ended = once(child, 'exit');
  void ended.then(watchUsage(child.pid!));
  const url = await within(60_000, 'the server to listen', () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return urlIn(logFile);
  });
  const call: Server['call'] = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: seeded.key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return {
      body: text === '' ? null : (JSON.parse(text) as unknown),
      behind: response.headers.has('x-read-lag'),
    };
  };
  await upToDate(call, '/v1/projects', 'the read models to show the history');
  const last = seeded.runs.at(-1)!;
  if ((await totalOf(call, last)) !== seeded.resultsARun)
    throw new Error(`run ${last} does not show its results`);
  return {
    ...seeded,
    url,
    pid: child.pid!,
    call,
    async residentMiB() {
      const text = await (await fetch(`${url}/metrics`)).text();
      const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(text) ?? [];
      if (bytes === undefined) throw new Error('/metrics has no resident memory');
      return Number(bytes) / 2 ** 20;
    },
    firstStart: () => within(10_000, 'the first link', () => FIRST_START.exec(printed)?.[0] ?? null),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      if (child.exitCode !== 0)
        throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}`);
    },
  };
}

/** Returns the number of results that a run counts. */
export async function totalOf(call: Server['call'], run: string): Promise<number> {
  const { body } = await call('GET', `/v1/test/run/${run}`);
  return (body as { counts: { total: number } }).counts.total;
}

/** Looks repeatedly until there is a value. @throws Error when there is none in time. */
export async function within<T>(
  milliseconds: number,
  what: string,
  look: () => T | null | Promise<T | null>,
): Promise<T> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await pause(10)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(`waited ${milliseconds / 1_000} s for ${what}, without success`);
}

function urlIn(logFile: string): string | null {
  const [line] = /^.*"testledger is up".*$/m.exec(readFileSync(logFile, 'utf8')) ?? [];
  return line === undefined ? null : (JSON.parse(line) as { url: string }).url;
}

/** Waits until the outbox has the whole history: GETs of tests wait for it, and say when they waited in vain. */
export function outboxShown({ call, project }: Server): Promise<true> {
  return upToDate(call, `/v1/projects/${project}/tests`, 'the outbox to have the history');
}

/** Waits until the answer to a GET shows all writes. */
function upToDate(call: Server['call'], path: string, what: string): Promise<true> {
  return within(600_000, what, async () => ((await call('GET', path)).behind ? null : true));
}
