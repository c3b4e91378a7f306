/** A program that tests start, kill and start again, with its folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { StackServer } from './stack-server.js';

export type Program = {
  /** For messages. */
  name: string;
  file: string;
  args: readonly string[];
  /** Its whole environment; without it, ours. */
  env?: Record<string, string | undefined>;
  /** Its working folder, which is removed with it. */
  folder: string;
  /** Polled until it is true; it may throw. */
  isReady(): Promise<boolean>;
  withinMs: number;
};

export type Running = Omit<StackServer, 'url'> & { signal(name: 'SIGSTOP' | 'SIGCONT'): void };

/** Starts the program and waits until it is ready. @throws Error with the reason, after removing everything. */
export async function startProgram(program: Program): Promise<Running> {
  const remove = () => rmSync(program.folder, { recursive: true, force: true, maxRetries: 5 });
  let running = await begin(program).catch((error: unknown) => {
    remove();
    throw error;
  });
  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  const clear = (): void => {
    running.kill('SIGKILL');
    remove();
  };
  // A test that forgets to stop it, or a run that fails or is ended, leaves nothing behind.
  const end = (): never => process.exit(143);
  process.once('exit', clear);
  process.once('SIGTERM', end);
  return {
    kill,
    signal: (name) => void running.kill(name),
    start: async () => {
      await kill();
      running = await begin(program);
    },
    stop: async () => {
      await kill();
      process.off('exit', clear);
      process.off('SIGTERM', end);
      clear();
    },
  };
}

async function begin(program: Program): Promise<ChildProcess> {
  const { name, file, args, env, folder } = program;
  const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...(env && { env }) });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  }
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`${name} ended with ${code ?? signal} before it was ready:\n${said}`));
    });
  });
  const over = new AbortController();
  try {
    await Promise.race([failed, untilReady(program, () => said, over.signal)]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    over.abort();
    failed.catch(() => {});
  }
  return child;
}

async function untilReady(
  { name, isReady, withinMs }: Program,
  said: () => string,
  over: AbortSignal,
): Promise<void> {
  const end = Date.now() + withinMs;
  for (let last: unknown = null; !over.aborted; await pause(20)) {
    try {
      if (await isReady()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      const why = `${name} was not ready after ${withinMs} ms: ${String(last)}\n${said()}`;
      throw new Error(why, { cause: last });
    }
  }
}
