import { nextDidNotRun, withoutUnrun } from '../deciding-attempt.js';
import { limits } from '../limits.js';
import {
  noResults,
  type ImportedEntry,
  type ImportOptions,
  type ImportWarning,
  type ReportAttachment,
  type ReportFormat,
  type ReportSummary,
  type RunFacts,
  type WarningCode,
} from './entry.js';
import { itemOf, outputFiles } from './item.js';
import { bounds, type Reported } from './reported.js';
import { fitFacts } from './run-facts.js';

/** Takes what an importer reads, and makes entries of it. */
export type Sink = {
  /**
   * The attempts of one test case, in their order: the last one that ran decides. `why` says that they are attempts of one
   * test: the format, or what a tool is known to write. Returns how the test ended.
   */
  results: (attempts: readonly Reported[], why?: string) => Reported['status'] | null;
  /** A failure that is in no test. `unlisted`: how many the report counts that it stands for. */
  outside: (failure: Reported, unlisted?: number) => void;
  attachments: (suite: string | null, attachments: ReportAttachment[]) => void;
  warn: (code: WarningCode, message: string, line?: number | null, count?: number) => void;
  /** A fact that is known already stays; a start is the earliest, an end the latest. */
  facts: (facts: RunFacts) => void;
  /** Entries that are ready, which it forgets. */
  take: () => ImportedEntry[];
  /** Tests whose last attempt failed, and failures in no test. */
  failing: () => number;
  end: (bytes: number) => void;
};

export function sink(format: ReportFormat, options: ImportOptions): Sink {
  let ready: ImportedEntry[] = [];
  const { warn, warnings } = openWarnings();
  const summary: ReportSummary = {
    ...noResults,
    format,
    bytes: 0,
    facts: {},
    joined: {},
    outside: 0,
    failures_unread: 0,
    timed: 0,
  };
  const joinedTests = new Map<string, number>();
  let ofReport = 0;

  function place(result: Reported, attempt: number | null): void {
    const { item, cut, isLate } = itemOf(result, attempt, options);
    if (cut) warn('cut_metadata', 'Metadata of a result were too large and are cut.', result.at);
    if (isLate) warn('bad_time', 'The start of a result lies in the future, and is left out.', result.at);
    summary.results += 1;
    summary[result.status] += 1;
    if (item.started_at !== undefined) summary.timed += 1;
    const attachments = [...outputOf(result, options), ...result.attachments];
    const taken = attachments.slice(0, limits.artifactsPerResult);
    const left = attachments.length - taken.length;
    warn('cut_attachments', 'A result has more files than the API takes.', result.at, left);
    summary.attachments += taken.length;
    ready.push({ type: 'result', item, attachments: taken, line: result.at });
  }

  function results(attempts: readonly Reported[], why?: string): Reported['status'] | null {
    const ran = withoutUnrun(attempts, (failure, { reason }) => ({
      ...failure,
      reason: nextDidNotRun(reason),
    }));
    const taken = ran.slice(-limits.attempts);
    const left = ran.length - taken.length;
    warn('too_many_attempts', 'A test has more attempts than the API takes.', ran[0]?.at, left);
    for (const [n, result] of taken.entries()) place(result, taken.length > 1 ? n + 1 : null);
    summary.retried += Math.max(0, taken.length - 1);
    const ended = taken.at(-1)?.status ?? null;
    if (ended === 'failed') summary.failing += 1;
    if (why !== undefined && attempts.length > 1) joinedTests.set(why, (joinedTests.get(why) ?? 0) + 1);
    return ended;
  }

  return {
    results,
    outside(failure, unlisted = 0) {
      summary.outside += 1;
      if (warnings.has('incomplete')) summary.failures_unread += unlisted;
      results([failure]);
    },
    attachments(suite, attachments) {
      const taken = attachments.slice(0, bounds.attachmentsOfReport - ofReport);
      const left = attachments.length - taken.length;
      warn('cut_attachments', 'A report has too many files of its own.', null, left);
      ofReport += taken.length;
      summary.attachments += taken.length;
      if (taken.length > 0) ready.push({ type: 'attachments', suite, attachments: taken });
    },
    warn,
    facts(facts) {
      summary.facts = joined(summary.facts, maskedFacts(fitFacts(facts, warn), options));
    },
    take() {
      const taken = ready;
      ready = [];
      return taken;
    },
    failing: () => summary.failing,
    end(bytes) {
      if (summary.results === 0) warn('no_cases', 'The report has no test case.');
      for (const warning of warnings.values()) ready.push({ type: 'warning', ...warning });
      ready.push({
        type: 'summary',
        summary: { ...summary, joined: Object.fromEntries(joinedTests), bytes },
      });
    },
  };
}

/** One warning for each code, with its number. */
function openWarnings(): { warn: Sink['warn']; warnings: ReadonlyMap<WarningCode, ImportWarning> } {
  const warnings = new Map<WarningCode, ImportWarning>();
  return {
    warn(code, message, line = null, count = 1) {
      if (count === 0) return;
      const known = warnings.get(code);
      if (known === undefined) warnings.set(code, { code, message, line, count });
      else known.count += count;
    },
    warnings,
  };
}

function outputOf(result: Reported, { output = 'failed' }: ImportOptions): ReportAttachment[] {
  return output === 'all' || (output === 'failed' && result.status === 'failed')
    ? outputFiles(result.output)
    : [];
}

/** Of what a report says of its run, too. */
function maskedFacts(facts: RunFacts, { masker }: ImportOptions): RunFacts {
  if (masker === undefined) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      typeof value === 'string' ? masker.name(value) : value,
    ]),
  );
}

function joined(known: RunFacts, facts: RunFacts): RunFacts {
  const starts = [known.started_at, facts.started_at].filter((instant) => instant !== undefined).sort();
  const ends = [known.finished_at, facts.finished_at].filter((instant) => instant !== undefined).sort();
  const [started_at] = starts;
  const finished_at = ends.at(-1);
  return {
    ...facts,
    ...known,
    ...(started_at === undefined ? {} : { started_at }),
    ...(finished_at === undefined ? {} : { finished_at }),
  };
}
