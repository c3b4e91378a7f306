/**
 * Reads the reports of a run: whether they are whole, and what is in them. Nothing is sent before it ends, so a broken file
 * leaves no part of a run behind; until then, the results are kept.
 */
import {
  noResults,
  type ImportedEntry,
  type ImportOptions,
  type ImportWarning,
  type ReportSummary,
  type ResultCounts,
  type RunFacts,
} from '../../importers/entry.js';
import { ImportError } from '../../importers/import-error.js';
import { reportsIn } from '../../importers/import-files.js';
import type { SubmitItem } from '../../client/index.js';
import type { Calls } from './calls.js';

export type Survey = {
  /** The files that can be imported, in their order. */
  files: readonly string[];
  errors: readonly ImportError[];
  warnings: readonly FileWarning[];
  counts: ResultCounts;
  /** What each file was read as. */
  reports: readonly FileReport[];
  /** What the files say of their run, with the start and the end as they are known now. */
  facts: RunFacts;
  /** Names of tests that have a second attempt. Results of one test supersede each other only within one call. */
  retried: ReadonlySet<string>;
  /** Output and files of suites and of whole reports. */
  ofNoResult: { count: number; example: string } | null;
  bytes: number;
};

export type FileReport = ReportSummary & { file: string };

export type FileWarning = ImportWarning & { file: string };

/** Names beyond that would be most of the memory. Their later attempts then count as results of their own. */
const MOST_RETRIED = 50_000;
/** Every warning stands for any number of results, and there are some twenty kinds. */
const MOST_WARNINGS = 1_000;

/** Puts the results of all files that can be imported into `calls`. */
export async function survey(
  files: readonly string[],
  options: ImportOptions,
  calls: Pick<Calls, 'add' | 'here' | 'backTo'>,
): Promise<Survey> {
  const whole: string[] = [];
  const errors: ImportError[] = [];
  const seen = sight();
  for (const report of reportsIn(files)) {
    const before = calls.here();
    try {
      for await (const group of report.entries(options))
        for (const entry of group) {
          seen.add(entry, report.name);
          // The files that it names are beside the first of its own.
          if (entry.type === 'result')
            calls.add({ item: entry.item, attachments: entry.attachments, file: report.files[0]! });
        }
      // A folder of Allure may have more files than a call of `push` takes.
      for (const file of report.files) whole.push(file);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      errors.push(error);
      // A file can turn out to be broken after some of its results.
      calls.backTo(before);
    }
  }
  return { files: whole, errors, ...seen.found() };
}

type Found = Omit<Survey, 'files' | 'errors'>;

/** What is seen of the entries of all files. */
function sight(): { add: (entry: ImportedEntry, file: string) => void; found: () => Found } {
  const warnings: FileWarning[] = [];
  const retried = new Set<string>();
  const counts = { ...noResults };
  const reports: FileReport[] = [];
  let ofNoResult: Survey['ofNoResult'] = null;
  let began = Infinity;
  let ended = -Infinity;
  let durationMs = 0;
  let bytes = 0;
  return {
    add(entry, file) {
      switch (entry.type) {
        case 'result': {
          const { name, attempt = 1, duration_ms = 0 } = entry.item;
          if (attempt > 1 && retried.size < MOST_RETRIED) retried.add(name);
          if (entry.item.started_at) began = Math.min(began, Date.parse(entry.item.started_at));
          ended = Math.max(ended, endOf(entry.item));
          durationMs += duration_ms;
          break;
        }
        case 'attachments': {
          const count = (ofNoResult?.count ?? 0) + entry.attachments.length;
          const example = ofNoResult?.example ?? entry.attachments[0]?.name ?? '';
          ofNoResult = { count, example };
          break;
        }
        case 'warning':
          if (warnings.length < MOST_WARNINGS) warnings.push({ ...entry, file });
          break;
        case 'summary':
          for (const name of Object.keys(counts) as (keyof ResultCounts)[])
            counts[name] += entry.summary[name];
          bytes += entry.summary.bytes;
          reports.push({ file, ...entry.summary });
          break;
      }
    },
    found: () => ({
      warnings,
      retried,
      counts,
      ofNoResult,
      bytes,
      reports,
      facts: withTimes(joined(reports.map(({ facts }) => facts)), { began, ended, durationMs }),
    }),
  };
}

function endOf({ started_at, duration_ms }: SubmitItem): number {
  return started_at ? Date.parse(started_at) + (duration_ms ?? 0) : -Infinity;
}

/** The facts on which the reports agree. The start is the earliest, the end the latest. */
function joined(facts: readonly RunFacts[]): RunFacts {
  const all: Record<string, unknown> = {};
  for (const name of ['tool', 'branch', 'commit', 'ci_url', 'label', 'run_key', 'shard'] as const) {
    const values = new Map(
      facts.flatMap((each) => (each[name] === undefined ? [] : [[JSON.stringify(each[name]), each[name]]])),
    );
    if (values.size === 1) [all[name]] = values.values();
  }
  const starts = facts.flatMap(({ started_at }) => started_at ?? []).sort();
  const ends = facts.flatMap(({ finished_at }) => finished_at ?? []).sort();
  const [started_at] = starts;
  const finished_at = ends.at(-1);
  return { ...all, ...(started_at && { started_at }), ...(finished_at && { finished_at }) };
}

/**
 * Without an end, a run would last until its import, which may be a day later. Where no report and no result says when it
 * ended, its tests ran one after the other, and those without any time ended just now. An end before the start is a fault of
 * a clock, and one in the future of a clock or of this guess: then the server takes its own time.
 */
function withTimes(
  { started_at, finished_at, ...facts }: RunFacts,
  { began, ended, durationMs }: { began: number; ended: number; durationMs: number },
): RunFacts {
  const now = Date.now();
  const told = Math.max(finished_at === undefined ? -Infinity : Date.parse(finished_at), ended);
  const isTold = Number.isFinite(told);
  // The server refuses an end before the start of the earliest result.
  const start = started_at === undefined ? began : Date.parse(started_at);
  if (!Number.isFinite(start) && !isTold)
    return durationMs === 0 ? facts : { ...facts, started_at: instant(now - durationMs) };
  const end = isTold ? told : start + durationMs;
  const isEnd = (end >= start || start === Infinity) && (end <= now || (isTold && start > now));
  return {
    ...facts,
    ...(start !== Infinity && { started_at: instant(start) }),
    ...(isEnd && { finished_at: instant(end) }),
  };
}

/** The last day that an instant of the API can name. */
const LAST = Date.UTC(9999, 0);

function instant(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), LAST)).toISOString();
}
