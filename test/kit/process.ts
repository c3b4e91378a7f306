/**
 * The real program, `node dist/program/main.js`, as a process of its own: started, killed, stopped and started again on
 * one folder. The tests share no memory with it, so they see only what a client and an operator see.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { api, type Api } from './client.js';
import { cliMain } from './command.js';
import { OWNER_KEY, programEnv, SECRET_KEY, serverEnv, type Env } from './environment.js';

export type Ended = { code: number | null; signal: NodeJS.Signals | null; afterMs: number };

/** A process, as an operator sees it. */
export type Program = {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The lines of the log, parsed. */
  logged(): LogLine[];
  /** Waits for the first line with this message. */
  line(message: string): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  ended: Promise<Ended>;
};

export type LogLine = { msg: string; [field: string]: unknown };

export type RunningServer = Program & {
  readonly url: string;
  readonly owner: Api;
  as(key: string | null): Api;
  /** Waits until the read models show everything that was written. */
  caughtUp(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<Ended>;
  /** SIGTERM. */
  stop(): Promise<Ended>;
};

export type Launch = {
  env?: Env;
  /** The `main.js` of another version of the program. */
  main?: string;
  /** The largest file that it may write, in KiB. A write beyond that fails as it does on a full disk. */
  fileLimit?: number;
};

export type Servers = {
  /** The `DATA_DIR`. */
  readonly folder: string;
  /** Starts the server and waits until it is up. @throws Error with its output where it does not come up. */
  start(launch?: Launch): Promise<RunningServer>;
  /** Starts the server and does not wait. */
  launch(launch?: Launch): Program;
  /** Runs the command line on the same folder. */
  cli(args: string[], launch?: Launch): Program;
};

const UP_WITHIN_MS = 120_000;
const LINE_WITHIN_MS = 60_000;
/** Ends a test that hangs. A busy machine may need many times as long as a quiet one. */
const TEST_WITHIN_MS = 600_000;

const main = fileURLToPath(new URL('../../program/main.js', import.meta.url));

/**
 * Declares a folder for each test of the block around it, and kills the processes that still run when a test ends; with
 * 'each suite', all tests of the block share them. `stores` sets where the log and the views are; without it they are in
 * the folder.
 */
export function servers(
  stores: () => Env = () => ({}),
  per: 'each test' | 'each suite' = 'each test',
): Servers {
  let folder = '';
  const running = new Set<ChildProcess>();
  const [first, last] = per === 'each test' ? [beforeEach, afterEach] : [before, after];

  first(async () => void (folder = await mkdtemp(join(tmpdir(), 'testledger-process-'))));
  beforeEach(function () {
    this.currentTest!.timeout(TEST_WITHIN_MS);
  });
  last(async () => {
    const ends = [...running].map((child) => once(child, 'close'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ends);
    await rm(folder, { recursive: true });
  });

  function launchScript(script: string, args: string[], { env = {}, fileLimit }: Launch): Program {
    const command = [process.execPath, script, ...args];
    const elsewhere = stores();
    const shared = Object.keys(elsewhere).length > 0;
    const limited =
      fileLimit === undefined
        ? command
        : ['bash', '-c', `ulimit -S -f ${fileLimit}; exec "$0" "$@"`, ...command];
    const child = spawn(limited[0]!, limited.slice(1), {
      env: {
        ...programEnv(),
        DATA_DIR: folder,
        ...serverEnv,
        ...(shared && { SECRET_KEY, BLOBS_URL: `file:${folder}`, ...credentials() }),
        ...elsewhere,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    return programOf(child);
  }

  return {
    get folder() {
      return folder;
    },
    launch: (launch = {}) => launchScript(launch.main ?? main, [], launch),
    start: async (launch = {}) => serverOf(launchScript(launch.main ?? main, [], launch)),
    cli: (args, launch = {}) => launchScript(cliMain, args, launch),
  };
}

async function serverOf(program: Program): Promise<RunningServer> {
  const up = await firstOf(program, 'testledger is up', UP_WITHIN_MS);
  const url = String(up['url']);
  const owner = api(() => url, OWNER_KEY);
  return {
    ...program,
    url,
    owner,
    as: (key) => api(() => url, key),
    caughtUp: () =>
      until('the read models to be up to date', async () => {
        const { status, headers } = await owner.getOnce('/v1/projects');
        return status === 200 && headers.get('X-Read-Lag') === null;
      }),
    kill: () => endedBy('SIGKILL'),
    stop: () => endedBy('SIGTERM'),
  };

  function endedBy(signal: NodeJS.Signals): Promise<Ended> {
    program.signal(signal);
    return program.ended;
  }
}

function programOf(child: ChildProcess): Program {
  const texts = { stdout: '', stderr: '' };
  let signalled = performance.now();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
  }
  const program: Program = {
    pid: child.pid!,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    logged: () => wholeLines(texts.stdout).map((line) => JSON.parse(line) as LogLine),
    line: (message) => firstOf(program, message, LINE_WITHIN_MS),
    signal: (signal) => {
      signalled = performance.now();
      child.kill(signal);
    },
    ended: once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      afterMs: performance.now() - signalled,
    })),
  };
  return program;
}

/** Waits for a line of the log. @throws Error with the output of the program when it ends first or is late. */
async function firstOf(program: Program, message: string, withinMs: number): Promise<LogLine> {
  let ended: Ended | null = null;
  void program.ended.then((end) => (ended = end));
  const marker = `"msg":${JSON.stringify(message)}`;
  let looked = 0;
  for (const until = performance.now() + withinMs; ;) {
    const over = ended !== null || performance.now() > until;
    const text = program.stdout();
    // Only the lines that came since: a log under load grows by a megabyte a second.
    const lines = text.slice(looked, text.lastIndexOf('\n') + 1);
    looked += lines.length;
    const found = wholeLines(lines).find((line) => line.includes(marker));
    if (found !== undefined) return JSON.parse(found) as LogLine;
    if (over) {
      const state = ended === null ? 'still runs' : `ended: ${JSON.stringify(ended)}`;
      throw new Error(`"${message}" was not logged; the program ${state}\n${program.stderr()}${tail(text)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The lines that are complete: a kill may have cut the last one. */
function wholeLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
}

function tail(text: string): string {
  return text.slice(-2_000);
}

/** The credentials of the S3 server of the run: the SDK reads them from the environment only. */
function credentials(): Env {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Whether `fetch` failed because the server has ended: there was no connection, or it ended before the answer. */
export function isGone(error: unknown): boolean {
  return error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
}

/** Polls until the condition holds. @throws Error when it does not hold in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  for (const end = performance.now() + withinMs; !(await holds());) {
    if (performance.now() > end) throw new Error(`not in ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
