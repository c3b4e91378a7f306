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
import { noRepeats, repeats, type TestCase } from './repeats.js';
import { bounds, type Reported } from './reported.js';
import { fitFacts } from './run-facts.js';

/** Takes what an importer reads, and makes entries of it. */
export type Sink = {
  /** The attempts of one test case, in their order: the last one decides. */
  results: (attempts: readonly Reported[]) => void;
  attachments: (suite: string | null, attachments: ReportAttachment[]) => void;
  warn: (code: WarningCode, message: string, line?: number | null, count?: number) => void;
  /** A fact that is known already stays; a start is the earliest, an end the latest. */
  facts: (facts: RunFacts) => void;
  /** Entries that are ready, which it forgets. */
  take: () => ImportedEntry[];
  /** Whether a result came. */
  isEmpty: () => boolean;
  end: (bytes: number) => void;
};

type ReadyCase = TestCase & { results: readonly Reported[] };

export function sink(format: ReportFormat, options: ImportOptions): Sink {
  let ready: ImportedEntry[] = [];
  const warnings = new Map<WarningCode, ImportWarning>();
  // Playwright's report lists the attempts of each test. Its cases of one name are repeats of a test that was asked for.
  const repeated = format === 'playwright' ? noRepeats<ReadyCase>() : repeats<ReadyCase>();
  const summary: ReportSummary = { ...noResults, format, bytes: 0, facts: {} };
  let ofReport = 0;

  function warn(code: WarningCode, message: string, line: number | null = null, count = 1): void {
    if (count === 0) return;
    const known = warnings.get(code);
    if (known === undefined) warnings.set(code, { code, message, line, count });
    else known.count += count;
  }

  function place({ results }: ReadyCase, first: number | null): void {
    for (const [n, result] of results.entries()) {
      const { item, cut, isLate } = itemOf(result, first === null ? null : first + n, options);
      if (cut) warn('cut_metadata', 'Metadata of a result were too large and are cut.', result.at);
      if (isLate) warn('bad_time', 'The start of a result lies in the future, and is left out.', result.at);
      summary.results += 1;
      summary[result.status] += 1;
      const attachments = [...filesOf(result), ...result.attachments];
      const taken = attachments.slice(0, limits.artifactsPerResult);
      warn(
        'cut_attachments',
        'A result has more files than the API takes.',
        result.at,
        attachments.length - taken.length,
      );
      summary.attachments += taken.length;
      ready.push({ type: 'result', item, attachments: taken, line: result.at });
    }
  }

  function filesOf(result: Reported): ReportAttachment[] {
    const { output = 'failed' } = options;
    return output === 'all' || (output === 'failed' && result.status === 'failed')
      ? outputFiles(result.output)
      : [];
  }

  return {
    results(attempts) {
      const last = attempts.at(-1);
      if (last === undefined) return;
      const { name, status } = last;
      const bytes = attempts.reduce((sum, each) => sum + bytesOf(each), 0);
      const placed = repeated.add({ name, status, bytes, attempts: attempts.length, results: attempts });
      for (const { test, first } of placed) place(test, first);
    },
    attachments(suite, attachments) {
      const taken = attachments.slice(0, bounds.attachmentsOfReport - ofReport);
      warn(
        'cut_attachments',
        'A report has too many files of its own.',
        null,
        attachments.length - taken.length,
      );
      ofReport += taken.length;
      summary.attachments += taken.length;
      if (taken.length > 0) ready.push({ type: 'attachments', suite, attachments: taken });
    },
    warn,
    facts(facts) {
      summary.facts = joined(summary.facts, fitFacts(facts, warn));
    },
    take() {
      const taken = ready;
      ready = [];
      return taken;
    },
    isEmpty: () => summary.results === 0,
    end(bytes) {
      for (const { test, first } of repeated.end()) place(test, first);
      const { beyond, ...counts } = repeated.counts();
      warn('too_many_attempts', 'A name comes more often than a test can have attempts.', null, beyond);
      if (summary.results === 0) warn('no_cases', 'The report has no test case.');
      for (const warning of warnings.values()) ready.push({ type: 'warning', ...warning });
      ready.push({ type: 'summary', summary: { ...summary, ...counts, bytes } });
    },
  };
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

/** About the memory that a result needs while it waits. */
function bytesOf({ name, error, output }: Reported): number {
  const texts = [name, error?.message, error?.stack, output.stdout, output.stderr];
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 1_000);
}
