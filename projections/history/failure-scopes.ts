/** Where failures are counted, and the ids of these counts. */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import { hashedId } from '../../src/domain/hashed-id.js';
import type { Position } from '../../src/domain/event.js';
import type { Moment } from '../../src/domain/test-history/failing-row.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';

/** A failure, as far as it is counted. `placed`: the position of the event that set its status. */
export type CountedFailure = Moment & {
  result_id: string;
  project_id: string;
  test_id: string;
  branch: string | null;
  /** Absent without one. */
  environment?: EnvironmentKey;
  placed: Position;
  group: FailureGroup;
};

/** What narrows a list. Without an environment (`''`) there is no scope of its own: the whole says what is left of it. */
export type Narrowed = { branch?: string | undefined; environment?: EnvironmentKey | undefined };

/** Where a failure counts: in its run and project, on its branch, in its environment, and in both. `id`: of the sighting. */
export type Scope = {
  id: string;
  group: string;
  listed_in: string;
  in_run: string | null;
  sighting: string;
  part: PartOfGroup;
  /** The run, or the result without one. */
  run: string;
};

/** On which branch or in which environment the group of a scope is a part of the whole one; nothing for the whole and for both. */
export type PartOfGroup = { branch_of?: string; branch?: string } & {
  environment_of?: string;
  environment?: EnvironmentKey;
};

export function scopesOf(failure: CountedFailure): Scope[] {
  const { run_id, project_id, branch, environment } = failure;
  const run = runOf(failure);
  const sighting = sightingOf(failure);
  const group = groupId(project_id, failure.group.id);
  const scope = (by: Narrowed, part: PartOfGroup = {}): Scope => ({
    id: sightingId(run, failure.group.id, by),
    group: narrowed(group, by),
    listed_in: narrowed(project_id, by),
    in_run: run_id === null || by.branch !== undefined ? null : narrowed(run_id, by),
    sighting,
    part,
    run,
  });
  const scopes = [scope({})];
  if (branch !== null) scopes.push(scope({ branch }, { branch_of: group, branch }));
  if (environment === undefined) return scopes;
  scopes.push(scope({ environment }, { environment_of: group, environment }));
  if (branch !== null) scopes.push(scope({ branch, environment }));
  return scopes;
}

/** The id of the sighting in the run as a whole. */
export function sightingOf(failure: CountedFailure): string {
  return sightingId(runOf(failure), failure.group.id);
}

function runOf({ run_id, result_id }: CountedFailure): string {
  return run_id ?? result_id;
}

/** `run`: the id of a run, or of a result without one. It comes first, so that the sightings of a run lie side by side. */
export function sightingId(run: string, group: string, by: Narrowed = {}): string {
  return `${run}#${narrowed(group, by)}`;
}

/** The id of a document about a test in a sighting. */
export function sightedTestId({ id, run }: Pick<Scope, 'id' | 'run'>, test: string): string {
  return `${run}#${hashedId(`${id}#${test}`)}`;
}

export function groupId(projectId: string, group: string, by: Narrowed = {}): string {
  return narrowed(hashedId(`${projectId}#${group}`), by);
}

/** The id of the same in an environment, on a branch, or both. Also what a project or run `listed_in`, `in_run`. */
export function narrowed(id: string, { branch, environment = '' }: Narrowed): string {
  if (branch === undefined && environment === '') return id;
  return hashedId(JSON.stringify([id, environment, branch ?? null]));
}
