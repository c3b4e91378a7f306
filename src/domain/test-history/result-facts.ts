/**
 * What the data of an event of a result leave out, and the history of its test needs. The decider knows it, and the log
 * keeps it beside the data, where no reader of the replay sees it. A fold that had to find it would read the stream of each
 * result that changes.
 */
import { isDeepStrictEqual } from 'node:util';
import { suiteHash } from '../comparison/test-keys.js';
import { anchorOf, groupIdOf, type AnchorKind } from '../failures/anchor.js';
import { resultEnvironment, type EnvironmentKey } from '../environment.js';
import { ranAt } from '../instant.js';
import type { Instant } from '../event.js';
import type { Metadata } from '../runs/run.js';
import { tagsIn, textIn, understoodResult } from '../understood.js';

/** The group of a failure, by its anchor. */
export type FailureGroup = { id: string; kind: AnchorKind; title: string };

/** Of an event that begins a result. */
export type BeginningFacts = {
  /** The attempt of its shard, or that of the result which it retries; absent in a run without shards. */
  shard_attempt?: number;
  /** That of the call that brought the result, or of its run; absent without one. */
  environment?: EnvironmentKey;
  /** The group of its failure, if it begins failed. */
  group?: FailureGroup;
  /** That of its test, where the name from which it was made is redacted. */
  test_id?: string;
};

/** Of a later event. `group`: where the event sets or changes it. An anchor of a later version leaves it as it is. */
export type ResultFacts = Omit<BeginningFacts, 'environment'> & {
  test_name: string;
  attempt: number;
  execution_time_ms: number | null;
  /** The entry of the result after the event, where the event sets a final status. */
  entry?: Entry;
  /** The entry that the result had before, where it had one and the event replaces or removes it. */
  former?: Listed;
};

type Entry = Listed & {
  commit: string | null;
  owner: string | null;
  ran_at: Instant;
  /** Its file and suite (`suiteHash`); absent without both. */
  suite?: string;
  /** Absent without any. */
  tags?: readonly string[];
};

/** Where a result is listed. `environment`: absent without one. */
export type Listed = { branch: string | null; environment?: EnvironmentKey };

/** Where a result stands in its run and in the history of its test. */
export type ResultContext = {
  /** What its run said when the result began. */
  run_branch: string | null;
  run_commit: string | null;
  run_environment: EnvironmentKey;
  /** The attempt of its shard, or that of the result which it retries; null in a run without shards. */
  shard_attempt: number | null;
  /** Where its entry is: a new object with each final status, and with another environment. Null before the first. */
  listed: Listed | null;
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
  test_id?: string;
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

function factsOf({ test_name, test_id, attempt, execution_time_ms, context }: Described): ResultFacts {
  const shard_attempt = context?.shard_attempt ?? null;
  return {
    test_name,
    attempt,
    execution_time_ms,
    ...(shard_attempt !== null && { shard_attempt }),
    ...(test_id !== undefined && { test_id }),
  };
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

/** Where the entry of a result is, by its metadata and what its run said. */
function listedBy(
  metadata: Metadata | null,
  { run_branch, run_environment }: Pick<ResultContext, 'run_branch' | 'run_environment'>,
): Listed {
  const environment = resultEnvironment(run_environment, metadata);
  const branch = branchOf(metadata, run_branch);
  return environment === '' ? { branch } : { branch, environment };
}

/** The context of a result that begins. `isOver`: with a final status. */
export function contextAtStart(
  {
    run_branch,
    run_commit,
    metadata,
  }: Pick<ResultContext, 'run_branch' | 'run_commit'> & Pick<Described, 'metadata'>,
  { facts }: { facts?: BeginningFacts | undefined },
  isOver: boolean,
): ResultContext {
  const { shard_attempt = null, environment: run_environment = '' } = facts ?? {};
  const listed = isOver ? listedBy(metadata, { run_branch, run_environment }) : null;
  return { run_branch, run_commit, run_environment, shard_attempt, listed };
}

/**
 * The context of a result of a final status after a change. It is listed anew with another status, and where a correction of its
 * metadata moves it to another environment.
 */
export function contextAfter(
  context: ResultContext,
  metadata: Metadata | null,
  isNewStatus: boolean,
): ResultContext {
  const { listed } = context;
  const now = listedBy(metadata, context);
  const isMoved = listed !== null && now.environment !== listed.environment;
  return isNewStatus || isMoved ? { ...context, listed: now } : context;
}

/** The entry of a result that has a final status since `at`. */
export function entryFrom(
  { metadata, started_at, finished_at }: Pick<Described, 'metadata' | 'started_at' | 'finished_at'>,
  context: Pick<ResultContext, 'run_branch' | 'run_commit' | 'run_environment'>,
  at: Instant,
): Entry {
  const suite = suiteHash(metadata);
  // Written out: made for each result (docs/decisions/033).
  const entry: Entry = {
    branch: branchOf(metadata, context.run_branch),
    // A pipeline that does not know its commit sends an empty one. It does not count as a commit: results of different code
    // are no evidence of flakiness.
    commit: (textIn(metadata, 'commit') ?? context.run_commit) || null,
    owner: textIn(metadata, 'owner'),
    ran_at: ranAt({ finished_at, started_at, created_at: at }),
  };
  const environment = resultEnvironment(context.run_environment, metadata);
  if (environment !== '') entry.environment = environment;
  if (suite !== '') entry.suite = suite;
  const tags = tagsIn(metadata);
  if (tags !== null && tags.length > 0) entry.tags = tags;
  return entry;
}

/** Null unless the result failed. It follows from the contents, which are not kept for ever: so it goes into the facts. */
export function groupOfFailed(
  described: Pick<Described, 'project_id' | 'test_name' | 'status' | 'metadata' | 'error_message'>,
): FailureGroup | null {
  return described.status === 'Failed' ? groupOf(described) : null;
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
