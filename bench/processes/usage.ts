/** What the servers under test use of the machine while a measure runs: processor time and memory, from /proc. */
import { readFileSync, writeFileSync } from 'node:fs';

/** `processorSeconds`: of all threads of all servers. `peakMiB`: resident memory of the server that worked the most. */
export type Usage = { seconds: number; processorSeconds: number; peakMiB: number };

/** The unit of /proc/<pid>/stat, `getconf CLK_TCK`: the same on all Linux systems of our processors. */
const TICKS_A_SECOND = 100;

const servers = new Set<number>();

/** Counts the usage of a process from now on. Returns the function that ends that. */
export function watchUsage(pid: number): () => void {
  servers.add(pid);
  return () => void servers.delete(pid);
}

/** `usage` is null where no server runs, or where the system does not say. */
export async function metered<T>(measure: () => Promise<T>): Promise<{ value: T; usage: Usage | null }> {
  const before = [...servers].map((pid) => ({ pid, processor: resetPeak(pid) }));
  const began = performance.now();
  const value = await measure();
  const seconds = (performance.now() - began) / 1_000;
  const used = before.flatMap(({ pid, processor }) => {
    const now = processorSeconds(pid);
    return processor === null || now === null ? [] : [{ worked: now - processor, peakMiB: peakMiB(pid) }];
  });
  const [busiest] = used.toSorted((one, other) => other.worked - one.worked);
  if (busiest === undefined) return { value, usage: null };
  const all = used.reduce((sum, { worked }) => sum + worked, 0);
  return { value, usage: { seconds, processorSeconds: all, peakMiB: busiest.peakMiB } };
}

/** Lets the highest resident memory begin again, and returns the processor seconds so far. */
function resetPeak(pid: number): number | null {
  try {
    // "5" does that: proc_pid_clear_refs(5).
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return null;
  }
  return processorSeconds(pid);
}

/** Null where the system does not say. */
function processorSeconds(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name of the program, which may hold spaces: utime and stime are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    return null;
  }
}

function peakMiB(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib ?? NaN) / 1_024;
}
