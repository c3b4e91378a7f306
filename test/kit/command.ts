/** Runs a program to its end: the command line, as a person or a script does, or a test runner. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnv } from './environment.js';

export type Ended = {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
  /** From its last output on stdout until it ended. */
  silentMs: number;
  /** What it printed as JSON. @throws SyntaxError where it is none. */
  document(): any;
};

export type Where = { cwd: string; env: Readonly<Record<string, string>> };

export const cliMain = fileURLToPath(new URL('../../program/cli.js', import.meta.url));

/** A busy machine may need many times as long as a quiet one. */
const WITHIN_MS = 600_000;

/** `env` is the whole environment but for `programEnv` and HOME, so that the CI server of the suite is none of the program's. */
export function ended(program: string, args: readonly string[], { cwd, env }: Where): Promise<Ended> {
  const began = performance.now();
  const child = spawn(program, [...args], {
    cwd,
    env: { ...programEnv(), HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WITHIN_MS,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (output[name] += text));
  let printed = began;
  child.stdout.on('data', () => (printed = performance.now()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        ...output,
        ms: performance.now() - began,
        silentMs: performance.now() - printed,
        document: () => JSON.parse(output.stdout) as unknown,
      }),
    );
  });
}

/** The command line in the folder of the suite, with these variables alone. */
export function testledger(args: readonly string[], env: Where['env'] = {}): Promise<Ended> {
  return ended(process.execPath, [cliMain, ...args], { cwd: process.cwd(), env });
}
