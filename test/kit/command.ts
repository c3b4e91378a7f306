/** Runs the command line as a process of its own, as a person or a script does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type Ran = {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The document on stdout. @throws SyntaxError where it is none. */
  document(): any;
};

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** `env` is the whole environment of the process but for PATH, so that no variable of the machine plays a part. */
export async function testledger(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr, document: () => JSON.parse(stdout) as unknown };
}
