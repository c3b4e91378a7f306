/** Where failures are counted, and the ids of these counts. */
import { environmentId, type EnvironmentKey } from '../../src/domain/environment.js';
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
};

/** On which branch or in which environment the group of a scope is a part of the whole one; nothing for the whole and for both. */
export type PartOfGroup = { branch_of?: string; branch?: string } & {
  environment_of?: string;
  environment?: EnvironmentKey;
};

export function scopesOf(failure: CountedFailure): Scope[] {
  const { run_id, project_id, branch, environment } = failure;
  const sighting = sightingOf(failure);
  const group = groupId(project_id, failure.group.id);
  const scope = (by: Narrowed, part: PartOfGroup = {}): Scope => ({
    id: narrowed(sighting, by),
    group: narrowed(group, by),
    listed_in: narrowed(project_id, by),
    in_run: run_id === null || by.branch !== undefined ? null : narrowed(run_id, by),
    sighting,
    part,
  });
  const scopes = [scope({})];
  if (branch !== null) scopes.push(scope({ branch }, { branch_of: group, branch }));
  if (environment === undefined) return scopes;
  scopes.push(scope({ environment }, { environment_of: group, environment }));
  if (branch !== null) scopes.push(scope({ branch, environment }));
  return scopes;
}

/** The id of the sighting in the run as a whole. */
export function sightingOf({ run_id, result_id, group }: CountedFailure): string {
  return sightingId(run_id ?? result_id, group.id);
}

/** `run`: the id of a run, or of a result without one. */
export function sightingId(run: string, group: string): string {
  return `${run}#${group}`;
}

export function groupId(projectId: string, group: string): string {
  return `${projectId}#${group}`;
}

/** The id of the same in an environment, on a branch, or both. Also what a project or run `listed_in`, `in_run`. */
export function narrowed(id: string, { branch, environment = '' }: Narrowed): string {
  const within = environment === '' ? id : `${id}#@${environmentId(environment)}`;
  return branch === undefined ? within : `${within}#=${branch}`;
}
