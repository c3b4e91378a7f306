/**
 * What the data of an event of a result leave out, and the history of its test needs. The decider knows it, and the log
 * keeps it beside the data, where no reader of the replay sees it. A fold that had to find it would read the stream of each
 * result that changes.
 */
import { isDeepStrictEqual } from 'node:util';
import { anchorOf, groupIdOf, type AnchorKind } from '../failures/anchor.js';
import { ranAt } from '../instant.js';
import type { Instant } from '../event.js';
import type { Metadata } from '../runs/run.js';
import { textIn, understoodResult } from '../understood.js';

/** The group of a failure, by its anchor. */
export type FailureGroup = { id: string; kind: AnchorKind; title: string };

/** Of an event that begins a result. */
export type BeginningFacts = {
  /** The attempt of its shard, or that of the result which it retries; absent in a run without shards. */
  shard_attempt?: number;
};

/** Of a later event. */
export type ResultFacts = BeginningFacts & {
  test_name: string;
  attempt: number;
  execution_time_ms: number | null;
  /** The entry of the result after the event, where the event sets a final status. */
  entry?: Entry;
  /** The entry that the result had before, where it had one and the event replaces or removes it. */
  former?: { branch: string | null };
  /** The group of its failure, where the event sets or changes it. An anchor of a later version leaves it as it is. */
  group?: FailureGroup;
};

type Entry = { branch: string | null; commit: string | null; owner: string | null; ran_at: Instant };

/** Where a result stands in its run and in the history of its test. */
export type ResultContext = {
  /** What its run said when the result began. */
  run_branch: string | null;
  run_commit: string | null;
  /** The attempt of its shard, or that of the result which it retries; null in a run without shards. */
  shard_attempt: number | null;
  /** The branch of its entry: a new object with each final status. Null before the first. */
  listed: { branch: string | null } | null;
};

/** What a result says, as far as its facts follow from it. */
type Described = {
  project_id: string;
  test_name: string;
  status: string;
  metadata: Metadata | null;
  error_message: string | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  execution_time_ms: number | null;
  attempt: number;
  context?: ResultContext;
};

/** Of a change at `at`. Undefined where the history does not change. */
export function factsOfChange(before: Described, after: Described, at: Instant): ResultFacts | undefined {
  const former = before.context?.listed ?? null;
  const { context } = after;
  if (context === undefined) return undefined;
  const facts = factsOf(after);
  if (context.listed !== null && context.listed !== former) {
    facts.entry = entryFrom(after, context, at);
    if (former !== null) facts.former = former;
  }
  const failed = after.status === 'Failed' && context.listed !== null;
  if (failed && (facts.entry !== undefined || hasOtherError(before, after))) {
    facts.group = groupOf(after);
  }
  return facts.entry === undefined && facts.group === undefined ? undefined : facts;
}

export function factsOfDeletion(before: Described): ResultFacts {
  const former = before.context?.listed ?? null;
  return { ...factsOf(before), ...(former !== null && { former }) };
}

function factsOf({ test_name, attempt, execution_time_ms, context }: Described): ResultFacts {
  const shard_attempt = context?.shard_attempt ?? null;
  return { test_name, attempt, execution_time_ms, ...(shard_attempt !== null && { shard_attempt }) };
}

function hasOtherError(before: Described, after: Described): boolean {
  if (before.metadata === after.metadata && before.error_message === after.error_message) return false;
  const anchored = ({ metadata, error_message }: Described) => [
    metadata?.file,
    metadata?.error,
    error_message,
  ];
  return !isDeepStrictEqual(anchored(before), anchored(after));
}

/** The result's own branch comes before that of its run. */
export function branchOf(metadata: Metadata | null, runBranch: string | null): string | null {
  return textIn(metadata, 'branch') ?? runBranch;
}

/** The entry of a result that has a final status since `at`. */
export function entryFrom(
  { metadata, started_at, finished_at }: Pick<Described, 'metadata' | 'started_at' | 'finished_at'>,
  { run_branch, run_commit }: Pick<ResultContext, 'run_branch' | 'run_commit'>,
  at: Instant,
): Entry {
  return {
    branch: branchOf(metadata, run_branch),
    // A pipeline that does not know its commit sends an empty one. It does not count as a commit: results of different code
    // are no evidence of flakiness.
    commit: (textIn(metadata, 'commit') ?? run_commit) || null,
    owner: textIn(metadata, 'owner'),
    ran_at: ranAt({ finished_at, started_at, created_at: at }),
  };
}

export function groupOf({
  project_id,
  test_name,
  metadata,
  error_message,
}: Pick<Described, 'project_id' | 'test_name' | 'metadata' | 'error_message'>): FailureGroup {
  const anchor = anchorOf(understoodResult(metadata, error_message), test_name);
  return { id: groupIdOf(project_id, anchor), kind: anchor.kind, title: anchor.title };
}
