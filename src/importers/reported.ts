import type { ReportAttachment, ReportItem } from './entry.js';

/** One attempt of a test, as the importer of a format reads it. The texts are bounded already. */
export type Reported = {
  /** The whole name, of any length. */
  name: string;
  status: ReportItem['status'];
  durationMs: number | null;
  startedAt: string | null;
  /** The failure; of a result that did not fail, null. */
  error: ReportedError | null;
  /** Why a test was skipped, or why it was expected to fail. */
  reason: string | null;
  file: string | null;
  /** The first line of a file is 1. */
  line: number | null;
  suite: string | null;
  owner: string | null;
  /** Other facts of the report, for the metadata. */
  extra: Record<string, unknown>;
  output: { stdout: string; stderr: string };
  attachments: ReportAttachment[];
  /** The line of the report. */
  at: number | null;
};

export type ReportedError = {
  message: string | null;
  type: string | null;
  stack: string | null;
  hook: string | null;
  /** What the test compared, where the report says so. */
  expected?: string | null;
  actual?: string | null;
};

/** Bounds of texts, in UTF-16 units. More is cut in the middle. */
export const bounds = {
  message: 64 * 1_024,
  stack: 64 * 1_024,
  output: 64 * 1_024,
  /** One short text of the metadata, such as the value of a property. */
  short: 2 * 1_024,
  attachmentsOfReport: 1_000,
} as const;

export function reported(name: string, status: Reported['status'], at: number | null): Reported {
  return {
    name,
    status,
    durationMs: null,
    startedAt: null,
    error: null,
    reason: null,
    file: null,
    line: null,
    suite: null,
    owner: null,
    extra: {},
    output: { stdout: '', stderr: '' },
    attachments: [],
    at,
  };
}

/** A test has a history in each project of Playwright. */
export function ofProject(project: string): Reported['extra'] {
  return project === '' ? {} : { environment: { project } };
}

/** An error of which only a sentence is known. */
export function errorSaying(message: string): ReportedError {
  return { message, type: null, stack: null, hook: null };
}

/** The error of a report, or a part of one, that counts more failures than its tests have: a hook, or a file that did not load. */
export function unlistedFailures(count: number): ReportedError {
  const are = count === 1 ? 'is' : 'are';
  return errorSaying(`The report counts ${count} failed here that ${are} in no test.`);
}

/** Stands for the attempts of a test that passed, of which the report says only that they failed. */
export function unlistedAttempt(passed: Reported): Reported {
  const message = 'The report says that the test passed in a later attempt. It has no text of this one.';
  const none = { durationMs: null, startedAt: null, output: { stdout: '', stderr: '' }, attachments: [] };
  return { ...passed, ...none, status: 'failed', error: errorSaying(message), reason: null };
}
