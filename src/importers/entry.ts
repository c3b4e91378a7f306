/** The form of an imported report: a stream of entries, whatever the format of the file was. */

/** One result, with the fields of an item of `POST /v1/test-runs` (`schemas/requests/SubmitItem.json`). */
export type ReportItem = {
  name: string;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail';
  duration_ms?: number;
  started_at?: string;
  attempt?: number;
  error_message?: string;
  metadata?: Record<string, unknown>;
};

/**
 * A file that belongs to a result or to a run. A path is as the report wrote it: `resolveAttachment` finds the file, and
 * refuses one outside the root. A body is what the report itself had. A URL is only a link.
 */
export type ReportAttachment = { name: string; content_type: string } & (
  { source: 'path'; path: string } | { source: 'body'; body: Uint8Array } | { source: 'url'; url: string }
);

export type ReportFormat =
  'junit' | 'ctrf' | 'playwright' | 'trx' | 'nunit' | 'xunit' | 'allure' | 'go' | 'cucumber' | 'robot';

export type ImportedEntry =
  | { type: 'result'; item: ReportItem; attachments: ReportAttachment[]; line: number | null }
  /** Output and files of a suite or of the whole report, which belong to no result. */
  | { type: 'attachments'; suite: string | null; attachments: ReportAttachment[] }
  | ({ type: 'warning' } & ImportWarning)
  /** The last entry of each report. */
  | { type: 'summary'; summary: ReportSummary };

/** Something that was mended or left out. It comes once for each code, after the results, with its number. */
export type ImportWarning = { code: WarningCode; message: string; line: number | null; count: number };

export type WarningCode =
  | 'illegal_characters'
  | 'leading_space'
  | 'bad_number'
  | 'bad_time'
  | 'duration_out_of_range'
  | 'no_cases'
  | 'cut_text'
  | 'cut_metadata'
  | 'cut_attachments'
  | 'unknown_fields'
  | 'unknown_status'
  | 'unnamed'
  | 'too_many_attempts'
  | 'bad_run_fact'
  | 'incomplete';

/** Counts of the results that were yielded: each attempt is one, and what a report says of its own totals is not read. */
export type ResultCounts = {
  results: number;
  passed: number;
  failed: number;
  skipped: number;
  known_fail: number;
  /** Results that a later attempt of the same test follows. */
  retried: number;
  /** Tests whose last attempt failed. */
  failing: number;
  attachments: number;
};

export const noResults: ResultCounts = {
  results: 0,
  passed: 0,
  failed: 0,
  skipped: 0,
  known_fail: 0,
  retried: 0,
  failing: 0,
  attachments: 0,
};

export type ReportSummary = ResultCounts & {
  format: ReportFormat;
  bytes: number;
  facts: RunFacts;
  /** Tests with several attempts, by what says that they are attempts of one test. */
  joined: Readonly<Record<string, number>>;
  /** Failed results of what the report says beside its tests: of hooks, suites, files and counters. */
  outside: number;
  /** Of a report that was cut: failures that it counts and that were not read. */
  failures_unread: number;
  /** Results with a start. */
  timed: number;
};

/** What a report says of its run. A missing field was not in the report. */
export type RunFacts = {
  started_at?: string;
  finished_at?: string;
  tool?: string;
  branch?: string;
  commit?: string;
  ci_url?: string;
  label?: string;
  run_key?: string;
  shard?: { index: number; total: number };
};

export type TextMasker = {
  text: (text: string) => string;
  /** Of what a test is known by. */
  name: (text: string) => string;
  metadata: (metadata: Readonly<Record<string, unknown>>) => Record<string, unknown>;
};

export type ImportOptions = {
  /** Yields the complete results of a broken report, and a warning in place of the error. */
  partial?: boolean;
  /** What `1,234` seconds are: with it, 1.234. */
  decimalComma?: boolean;
  /** Refuses a CTRF report with fields that its specification does not have. */
  strict?: boolean;
  /** Whose output becomes an attachment: that of failed results is the default. */
  output?: 'failed' | 'all' | 'none';
  /** Whether `[[ATTACHMENT|path]]` in the output of a test names a file of it: whoever can make a test print may name any. */
  attachmentsInOutput?: boolean;
  /** The folder of the checkout, which paths of files are made relative to. */
  checkout?: string;
  /** Goes before the path of each file that was relative to a package of a monorepo. */
  pathPrefix?: string;
  /** Takes secrets out of texts before they are cut. */
  masker?: TextMasker;
  /** Who looks after a file, as `codeOwners` makes it. */
  ownerOf?: (file: string) => string | null;
};
