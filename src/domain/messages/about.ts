/** What a message is about. It is stored with it, so it has all that filters ask. */
import type { RunVerdict } from '../comparison/verdict.js';
import type { RunCounts } from '../counts.js';
import type { Environment, EnvironmentKey } from '../environment.js';
import type { FailureGroup } from '../test-history/result-facts.js';
import type { FailedGroup } from './failed-groups.js';

/** Where the result or run of a message ran. */
export type MessagePlace = { branch: string | null; environment: EnvironmentKey };

/**
 * References to what a message is about, stored with it: the payload is rendered from the log later. Only the counts of
 * a run are stored themselves, because no stream holds them.
 */
export type About =
  AboutFailure | AboutResult | AboutRecovery | AboutTest | AboutRun | AboutGroup | AboutWebhook;

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

export type AboutTest = AboutLine & {
  kind: 'test';
  test: { id: string; name: string; project_id: string };
  rule: string;
  evidence: readonly string[];
  place: MessagePlace;
  owner: string | null;
};

export type AboutRun = {
  kind: 'run';
  run_id: string;
  project_id: string;
  completion: number;
  counts: RunCounts;
  verdict: RunVerdict | null;
  place: MessagePlace;
  failures: readonly FailedGroup[];
};

/** A group of the failures of a run, as they were at its completion. */
export type AboutGroup = Pick<AboutRun, 'run_id' | 'project_id' | 'counts' | 'place'> & {
  kind: 'group';
  failed: FailedGroup;
};

export type AboutWebhook = { kind: 'webhook'; webhook_id: string };
