/** The machine and the code, without which a figure of the bench means nothing. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

export function machineFacts(root: string) {
  const processors = cpus();
  return {
    processors: processors.length,
    model: processors[0]?.model.trim() ?? 'unknown',
    memory_mib: Math.round(totalmem() / 2 ** 20),
    system: `${type()} ${release()}`,
    node: process.version,
    /** The load of other processes. */
    load_at_start: loadavg()[0]!,
    commit: git(root, 'rev-parse', '--short', 'HEAD') ?? 'unknown',
    changed: git(root, 'status', '--porcelain') !== '',
  };
}

function git(cwd: string, ...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
