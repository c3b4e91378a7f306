/** A command that is measured from its start to its end: how long it takes, the processor time and the most memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithUs } from './child.js';
import { nodeAt } from './pinning.js';

export type Measured = {
  seconds: number;
  /** Of all its threads and its own commands. A busy machine makes a command wait, and changes this far less. */
  processorSeconds: number;
  /** Its highest resident memory. */
  peakMiB: number;
  stdout: string;
  stderr: string;
};

const LOOK_EVERY_MS = 50;

/** Runs Node, and nothing else may end meanwhile. @throws Error where the command does not end with 0. */
export async function measureNode(
  args: readonly string[],
  { cwd, env }: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<Measured> {
  const before = processorSecondsOfEnded();
  const began = performance.now();
  const { command, before: prefix } = nodeAt('load');
  const child = endWithUs(
    spawn(command, [...prefix, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const ended = once(child, 'exit');
  const outputs = Promise.all([text(child.stdout!), text(child.stderr!)]);
  let peakMiB = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakMiB = Math.max(peakMiB, await peakOf(child.pid!));
    await Promise.race([ended, pause(LOOK_EVERY_MS)]);
  }
  const seconds = (performance.now() - began) / 1_000;
  const processorSeconds = processorSecondsOfEnded() - before;
  const [stdout, stderr] = await outputs;
  if (child.exitCode !== 0) throw new Error(`${args[0]} ended with ${child.exitCode}: ${stdout}${stderr}`);
  return { seconds, processorSeconds, peakMiB, stdout, stderr };
}

/** The system counts this in hundredths of a second, for commands of ours that have ended. */
function processorSecondsOfEnded(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the program stands in brackets and may have blanks. The times are fields 16 and 17.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}

/** 0 where the process has ended. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}
