/** What a test of Go printed. Go has no other place for why a test failed. */
import { boundedText } from '../values/bounded-text.js';
import { durationFromMs } from '../values/numbers.js';
import { bounds } from '../reported.js';

export type TestOutput = {
  add(piece: string): void;
  /** All of it. */
  text(): string;
  /** What says why the test failed or was skipped: a panic, else all that it printed. Null where it printed nothing. */
  message(): string | null;
  panicked(): boolean;
  /** What the runner printed of this test behind a line that the test did not end: then no event says it. */
  verdict(name: string): { status: 'passed' | 'failed' | 'skipped'; durationMs: number | null } | null;
  /** Of a benchmark. */
  benchmark(): Benchmark | null;
};

export type Benchmark = { iterations: number } & Record<string, number>;

/** Lines of the runner itself; a benchmark begins with its name alone. */
const FRAMING = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|FAIL|SKIP|BENCH): |Benchmark\S*\s*$)/;
const VERDICT = /--- (PASS|FAIL|SKIP): (\S+) \((\d+(?:\.\d+)?)s\)\s*$/;
const STATUSES = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' } as const;
/** A log line of a test begins with its place, which moves with every change of the file. */
const PLACE = /^\s*[\w.-]+\.go:\d+: /;
const PANIC = /^(?:panic: |fatal error: |unexpected fault address )/;
const BENCHMARK = /^Benchmark\S*\s+(\d+)((?:\s+[\d.e+]+ \S+)+)\s*$/;

export function testOutput(): TestOutput {
  const all = boundedText(bounds.output);
  /** A piece is not always a line. */
  const lines = () =>
    all
      .text()
      .split('\n')
      .filter((line) => !FRAMING.test(line));
  const panic = () =>
    lines()
      .find((line) => PANIC.test(line))
      ?.trim() ?? null;
  return {
    add: all.add,
    text: () => lines().join('\n'),
    message() {
      const text = lines()
        .map((line) => line.replace(PLACE, '').replace(VERDICT, ''))
        .join('\n')
        .trim();
      return panic() ?? (text === '' ? null : text);
    },
    panicked: () => panic() !== null,
    verdict(name) {
      for (const line of all.text().split('\n').toReversed()) {
        const [, word, of, seconds] = VERDICT.exec(line.slice(-2_048)) ?? [];
        if (of === name)
          return {
            status: STATUSES[word as keyof typeof STATUSES],
            durationMs: durationFromMs(Number(seconds) * 1_000).ms,
          };
      }
      return null;
    },
    benchmark: () =>
      lines()
        .filter((line) => line.startsWith('Benchmark'))
        .map(benchmarkOf)
        .find((found) => found !== null) ?? null,
  };
}

/** `BenchmarkSum-2   1000   1.5 ns/op   16 B/op`: the runs, and each number with its unit. */
function benchmarkOf(line: string): Benchmark | null {
  const [, runs, measured = ''] = BENCHMARK.exec(line.slice(0, 1_000)) ?? [];
  if (runs === undefined) return null;
  const found: Benchmark = { iterations: Number(runs) };
  for (const [, value, unit] of measured.matchAll(/([\d.e+]+) (\S+)/g)) found[unit!] = Number(value);
  return found;
}
