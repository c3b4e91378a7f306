/** One mocha process: it runs some files and leaves its report in a file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import type { LaneEvent } from '../own-run/lane-reporter.js';
import type { Suite } from './suites.js';

/** The parts that are used of a report of mocha's reporter `json`. */
export type Report = { tests: Reported[]; passes: Reported[]; failures: Reported[] };
export type Reported = { title: string; fullTitle: string; file: string; duration?: number; err: object };

export type Ended = {
  /** Null where mocha ended without it. */
  report: Report | null;
  /** The number of tests that each file declares; empty where mocha could not load the files. */
  counts: ReadonlyMap<string, number>;
  /** Of the tests that ended, for a reporter; empty where mocha ended without its report. */
  events: readonly LaneEvent[];
  /** A fault beside the failures of tests; null for none. */
  fault: string | null;
  /** The output of the tests. */
  output: string;
};

/** No file needs it on a machine that works. */
const LIMIT_MS = 900_000;
/** From its report until mocha ends. A server that a failed test left running would keep it open to the limit above. */
const OPEN_AFTER_REPORT_MS = 30_000;

const script = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const laneReporter = fileURLToPath(new URL('../own-run/lane-reporter.js', import.meta.url));
const running = new Set<number>();

/** The test files of a suite. */
export function filesOf({ spec, ignore }: Suite): string[] {
  return globSync([...spec], { ignore: [...ignore], absolute: true }).sort();
}

/** Runs these files. Never rejects because of a test. */
export async function runMocha(
  { config, openAfterReportMs = OPEN_AFTER_REPORT_MS }: Suite,
  files: readonly string[],
): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-report-'));
  const file = join(folder, 'report.json');
  try {
    const [countsFile, eventsFile] = [join(folder, 'counts.json'), join(folder, 'events.json')];
    const reporter = ['--reporter', laneReporter];
    const outputs = ['--reporter-option', `output=${file},counts=${countsFile},events=${eventsFile}`];
    const args = [script, '--config', config, ...reporter, ...outputs, ...files];
    // A process group of its own: with mocha ends what its tests have started.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const group = child.pid!;
    running.add(group);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const began = performance.now();
    let reported = Infinity;
    let late: string | null = null;
    const limits = setInterval(() => {
      const now = performance.now();
      if (existsSync(file)) reported = Math.min(reported, now);
      if (now - reported > openAfterReportMs) late = `${openAfterReportMs / 1_000} s after its report`;
      else if (now - began > LIMIT_MS) late = `within ${LIMIT_MS / 1_000} s`;
      if (late !== null) kill(group);
    }, 1_000);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearInterval(limits);
    running.delete(group);
    const report = await readJson<Report>(file);
    const counts = new Map(Object.entries((await readJson<Record<string, number>>(countsFile)) ?? {}));
    const events = (await readJson<LaneEvent[]>(eventsFile)) ?? [];
    return { report, counts, events, fault: faultOf({ report, code, signal, late }), output };
  } finally {
    await rm(folder, { recursive: true });
  }
}

type End = {
  report: Report | null;
  code: number | null;
  signal: NodeJS.Signals | null;
  /** When it should have ended; null where it ended in time. */
  late: string | null;
};

function faultOf({ report, code, signal, late }: End): string | null {
  if (late !== null) return `mocha did not end ${late}${report ? ': a test left something open' : ''}`;
  if (report === null) return `mocha ended with ${code ?? signal} and without its report`;
  // Mocha's status is the number of failures.
  if (code === 0 || report.failures.length > 0) return null;
  return `mocha ended with ${code ?? signal}, though no test failed`;
}

async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** Ends every mocha process and the processes of its tests. */
export function stopAll(): void {
  for (const group of running) kill(group);
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
