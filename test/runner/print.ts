/** The lines that the runner prints. */
import Mocha from 'mocha';
import { relative } from 'node:path';
import { format } from 'node:util';
import type { Ended, Reported } from './mocha.js';

export type Outcome = {
  passing: number;
  failures: Reported[];
  /** Everything that went wrong beside the failures of tests. */
  faults: string[];
};

type Batch = Ended & { files: readonly string[]; ms: number };

/**
 * One line a file, and below it the tests that failed, with their reasons: a run that is ended from outside prints no
 * summary.
 */
export function batchLines({ files, report, fault, output, ms }: Batch): string[] {
  const lines = output.trim() === '' ? [] : [output.trimEnd()];
  for (const file of files) {
    const tests = report?.tests.filter((test) => test.file === file) ?? [];
    const failures = report?.failures.filter((test) => test.file === file) ?? [];
    const took = files.length === 1 ? ms : tests.reduce((sum, { duration = 0 }) => sum + duration, 0);
    const mark = fault === null && failures.length === 0 ? '✔' : '✖';
    lines.push(`${mark} ${shortName(file)}: ${tests.length} tests (${seconds(took)})`);
    lines.push(...details(failures));
  }
  if (fault !== null) lines.push(`    ${fault}`);
  return lines;
}

/** The gate reads the line with "passing". */
export function summaryLines({ passing, failures, faults }: Outcome, ms: number): string[] {
  return [
    `\n  ${passing} passing (${seconds(ms)})`,
    ...(failures.length > 0 ? [`  ${failures.length} failing`, ...details(failures)] : []),
    ...faults.map((fault) => `  ✖ ${fault}`),
  ];
}

/** As mocha prints them, each with its difference. */
function details(failures: readonly Reported[]): string[] {
  // Mocha would print an empty line.
  if (failures.length === 0) return [];
  const { Base } = Mocha.reporters;
  const { consoleLog } = Base;
  const lines: string[] = [];
  // Mocha needs no more of a test than this.
  const tests = failures.map(({ fullTitle, err }) => ({ titlePath: () => [fullTitle], err }));
  Base.consoleLog = (...args: unknown[]) => void lines.push(format(...args));
  try {
    Base.list(tests as unknown as Mocha.Test[]);
  } finally {
    Base.consoleLog = consoleLog;
  }
  return lines;
}

export function shortName(file: string): string {
  return relative('dist', file);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
