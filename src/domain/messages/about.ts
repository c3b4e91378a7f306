/** What a message is about. It is stored with it, so it has all that filters ask. */
import type { RunVerdict } from '../comparison/verdict.js';
import type { RunCounts } from '../counts.js';
import type { Environment, EnvironmentKey } from '../environment.js';
import type { Instant } from '../event.js';
import type { FailureGroup } from '../test-history/result-facts.js';
import type { DayNumbers } from './digest.js';
import type { FailedGroup, FailureOfGroup, FailureTraits } from './failed-groups.js';

/** Where the result or run of a message ran. */
export type MessagePlace = { branch: string | null; environment: EnvironmentKey };

/**
 * References to what a message is about, stored with it: the payload is rendered from the log later. Only the counts of
 * a run are stored themselves, because no stream holds them.
 */
export type About =
  | AboutFailure
  | AboutResult
  | AboutRecovery
  | AboutTest
  | AboutFlaky
  | AboutKnownFailure
  | AboutRun
  | AboutGroup
  | AboutGroupNew
  | AboutGroupBack
  | AboutGroupGone
  | AboutIncomplete
  | AboutMain
  | AboutDay
  | AboutWebhook;

/** `place`, `owner`, `known`, `new`: what filters ask. The failure was known when it was recorded. */
export type AboutResult = {
  kind: 'result';
  place: MessagePlace;
  owner: string | null;
  known: boolean;
  new: boolean;
  result_id: string;
  run_id: string | null;
  project_id: string;
  counts: RunCounts | null;
};

/** `group`: of the failure. */
export type AboutFailure = AboutResult & { group: FailureGroup | null };

/** `failure`: the result from which the test recovered. */
export type AboutRecovery = AboutResult & AboutLine & { failure: string };

/** The environment of the line that changed; null without one. */
export type AboutLine = { environment: Environment | null };

export type TestOfMessage = { id: string; name: string; project_id: string };

/** `result_id`: the result by which the test changed. `known`: it is a failure of which somebody knows. */
export type AboutTest = AboutLine & {
  kind: 'test';
  test: TestOfMessage;
  result_id: string;
  run_id: string | null;
  place: MessagePlace;
  owner: string | null;
  known: boolean;
};

export type AboutFlaky = AboutTest & { rule: string; evidence: readonly string[] };

/** `branch` null: it is known on all of them; `environment` null: in all of them. */
export type KnownFailureOfMessage = {
  test: TestOfMessage;
  owner: string | null;
  branch: string | null;
  environment: EnvironmentKey | null;
};

/** `ended`: how; null where it was set. */
export type AboutKnownFailure = KnownFailureOfMessage & {
  kind: 'known_failure';
  ended: 'expired' | 'requested' | null;
};

type OfRun = { run_id: string; project_id: string; counts: RunCounts; place: MessagePlace };

export type AboutRun = OfRun & {
  kind: 'run';
  completion: number;
  verdict: RunVerdict | null;
  failures: readonly FailedGroup[];
};

/** A group of the failures of a run, as they were at its completion. */
export type AboutGroup = OfRun & { kind: 'group'; failed: FailedGroup };

/** The failure by which a group was seen for the first time. `counts`: null without a run. */
export type AboutGroupNew = Omit<FailureOfGroup, 'branch' | 'environment'> & {
  kind: 'group_new';
  place: MessagePlace;
  counts: RunCounts | null;
};

/** `gone_at`: when it was seen that the group is gone. */
export type AboutGroupBack = AboutGroup & { gone_at: Instant };

/** `tests`: how many failed with it since it was gone last. */
export type AboutGroupGone = OfRun &
  FailureTraits & { kind: 'group_gone'; group: FailureGroup; tests: number };

/** `missing`: the indexes of shards. */
export type AboutIncomplete = OfRun & { kind: 'incomplete'; total: number; missing: readonly number[] };

/** `red`: since which run the default branch is red, or was so until now, and what its failures are like. */
export type AboutMain = OfRun & { kind: 'main'; tool: string | null; red: RedRun };

export type RedRun = { run_id: string; at: Instant; failures: readonly FailureTraits[] };

export type AboutDay = { kind: 'day'; project_id: string; numbers: DayNumbers };

export type AboutWebhook = { kind: 'webhook'; webhook_id: string };
