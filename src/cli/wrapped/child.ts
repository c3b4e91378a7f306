/** Runs a test command as if it ran by itself: with its terminal, its signals and its exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { failWith } from '../errors.js';

export type ChildEnd = {
  /** The exit code as a shell would give it: 128 and the number of the signal that ended it. */
  code: number;
  wasKilled: boolean;
};

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** @throws CliError `usage` for a command that cannot be started */
export function runChild([program, ...args]: readonly [string, ...string[]]): Promise<ChildEnd> {
  const pass = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to both; test runners take a second one as "now".
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  // Before the command starts: a signal right after its start would end this process alone, and leave the command behind.
  for (const signal of passedOn) process.on(signal, pass);
  const child = spawn(program, args, { stdio: 'inherit' });
  return new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve({
        code: code ?? 128 + (constants.signals[signal!] ?? 0),
        wasKilled: signal !== null,
      }),
    );
  })
    .catch((error: Error) =>
      failWith('usage', `the command cannot be started: ${error.message}`, { cause: error }),
    )
    .finally(() => {
      for (const signal of passedOn) process.off(signal, pass);
    });
}
