/**
 * The groups of failures, computed without folding: after each event, the failing results are looked up in the whole
 * history before it. Slow, plain, and written from the contract.
 */
import { resultEnvironment } from '../../src/domain/environment.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { anchorOf, groupIdOf } from '../../src/domain/failures/anchor.js';
import type { Metadata } from '../../src/domain/runs/run.js';
import type { Moment } from '../../src/domain/test-history/failing-row.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { textIn, understoodResult } from '../../src/domain/understood.js';

/** A failing result. `opened` is the place where it failed. */
export type Failing = Moment & {
  result_id: string;
  project_id: string;
  test_id: string;
  branch: string | null;
  environment: string;
  group: string;
  opened: string;
};

export type ModelSighting = { results: number; tests: number; moment: Moment; opened: string };
export type ModelGroup = { runs: number; results: number; first: Moment; last: Moment };

export type FailuresModel = {
  failing: Map<string, Failing>;
  /** By run and group, also narrowed to an environment, a branch, or both. A result without a run is a run of its own. */
  sightings: Map<string, ModelSighting>;
  /** By project and group, narrowed alike. */
  groups: Map<string, ModelGroup>;
};

export type ModelResult = {
  id: string;
  project_id: string;
  run_id: string | null;
  test_id: string;
  test_name: string;
  status: string;
  metadata: Metadata | null;
  error_message: string | null;
  run_branch: string | null;
  run_commit: string | null;
  run_environment: string;
  superseded_by: string | null;
  /** All results that supersede it: a retry, an item of the same call, or results of higher attempts of its shard. */
  superseders: readonly string[];
  started_at: string | null;
  finished_at: string | null;
  /** At its newest final status. */
  final: {
    status: string;
    branch: string | null;
    environment: string;
    commit: string | null;
    at: string;
    opened: string;
  } | null;
  /** When its status was `Failed` last. */
  group: string | null;
};

export function failuresOf(events: readonly LedgerEvent[]): FailuresModel {
  const results = new Map<string, ModelResult>();
  let failing: Failing[] = [];
  /** By run and group: the failure from which on there was always one. */
  const openings = new Map<string, Failing>();
  for (const event of events) {
    const before = failing;
    happen(results, event);
    failing = failingAmong(results);
    const staying = failing.filter((one) => before.some((other) => isSame(one, other)));
    const kept = new Set(staying.flatMap(scopesOf).map(({ sighting }) => sighting));
    for (const key of openings.keys()) if (!kept.has(key)) openings.delete(key);
    for (const one of failing) {
      if (staying.includes(one)) continue;
      for (const { sighting } of scopesOf(one)) {
        if (!openings.has(sighting)) openings.set(sighting, one);
      }
    }
  }
  return {
    failing: new Map(failing.map((one) => [one.result_id, one])),
    sightings: new Map([...openings].map(([key, opening]) => [key, sightingOf(failing, key, opening)])),
    groups: new Map(failing.flatMap(scopesOf).map(({ group }) => [group, groupOf(failing, group, openings)])),
  };
}

function sightingOf(failing: readonly Failing[], key: string, opening: Failing): ModelSighting {
  const own = failing.filter((one) => scopesOf(one).some(({ sighting }) => sighting === key));
  const tests = new Set(own.map(({ test_id }) => test_id)).size;
  return { results: own.length, tests, moment: momentOf(opening), opened: opening.opened };
}

function groupOf(
  failing: readonly Failing[],
  key: string,
  openings: ReadonlyMap<string, Failing>,
): ModelGroup {
  const own = failing.flatMap(scopesOf).filter(({ group }) => group === key);
  const opened = [...new Set(own.map(({ sighting }) => sighting))]
    .map((sighting) => openings.get(sighting)!)
    .sort((one, other) => (one.opened < other.opened ? -1 : 1));
  const [first, last] = [momentOf(opened[0]!), momentOf(opened.at(-1)!)];
  return { runs: opened.length, results: own.length, first, last };
}

/** A failure counts in its project, on its branch, in its environment or without one, and in both. */
function scopesOf({ run_id, result_id, project_id, group, branch, environment }: Failing) {
  const [sighting, whole] = [`${run_id ?? result_id}#${group}`, `${project_id}#${group}`];
  const environments = ['', `#@${environment}`];
  const branches = branch === null ? [''] : ['', `#=${branch}`];
  const within = environments.flatMap((one) => branches.map((other) => `${one}${other}`));
  return within.map((each) => ({ sighting: `${sighting}${each}`, group: `${whole}${each}` }));
}

export function momentOf({ run_id, commit, at }: Moment): Moment {
  return { run_id, commit, at };
}

export function isSame(one: Failing, other: Failing): boolean {
  return one.result_id === other.result_id && one.opened === other.opened && one.group === other.group;
}

export function failingAmong(results: ReadonlyMap<string, ModelResult>): Failing[] {
  return [...results.values()]
    .filter(
      ({ status, final, superseded_by }) =>
        status === 'Failed' && final?.status === 'Failed' && superseded_by === null,
    )
    .map(({ id, project_id, run_id, test_id, final, group }) => ({
      result_id: id,
      project_id,
      run_id,
      test_id,
      branch: final!.branch,
      environment: final!.environment,
      commit: final!.commit,
      at: final!.at,
      opened: final!.opened,
      group: group!,
    }))
    .sort((one, other) => (one.opened < other.opened ? -1 : 1));
}

/** Changes the results as the event does. */
export function happen(results: Map<string, ModelResult>, event: LedgerEvent): void {
  switch (event.type) {
    case 'ResultCreated':
    case 'ResultSubmitted': {
      const { result_id: id, test_name: name, ...data } = event.data;
      const run_environment = event.meta.facts?.environment ?? '';
      const { project_id, run_id, metadata, run_branch, run_commit, status } = data;
      const error_message = 'error_message' in data ? data.error_message : null;
      const { superseded_by = null, replaced_by = [], replaces = [] } = data as Superseding;
      const superseders = [superseded_by, ...replaced_by.filter((one) => results.has(one))].filter(
        (one) => one !== null,
      );
      const retry_of = 'retry_of' in data ? data.retry_of : null;
      const described = { metadata, error_message, run_branch, run_commit, run_environment };
      results.set(id, {
        id,
        project_id,
        run_id,
        test_id: testIdOf(project_id, name),
        test_name: name,
        status: 'none',
        ...described,
        superseded_by: superseders[0] ?? null,
        superseders,
        started_at: data.started_at,
        finished_at: 'finished_at' in data ? data.finished_at : null,
        final: null,
        group: null,
      });
      for (const other of [retry_of, ...replaces]) {
        const former = other === null ? undefined : results.get(other);
        if (former !== undefined) supersede(former, [...former.superseders, id]);
      }
      return setStatus(results.get(id)!, status, event);
    }
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated': {
      const present = results.get(event.data.result_id)!;
      const { metadata, error_message, started_at, finished_at } = event.data as Partial<ModelResult>;
      if (metadata !== undefined) present.metadata = metadata;
      if (error_message !== undefined) present.error_message = error_message;
      if (started_at !== undefined) present.started_at = started_at;
      if (event.type === 'ResultStarted') present.finished_at = null;
      else if (finished_at !== undefined) present.finished_at = finished_at;
      return setStatus(present, event.data.status, event);
    }
    case 'ResultDeleted': {
      const { result_id } = event.data;
      results.delete(result_id);
      for (const former of results.values()) {
        if (!former.superseders.includes(result_id)) continue;
        supersede(
          former,
          former.superseders.filter((each) => each !== result_id),
        );
      }
      return;
    }
    default:
  }
}

type Superseding = { superseded_by?: string | null; replaced_by?: string[]; replaces?: string[] };

function supersede(result: ModelResult, superseders: readonly string[]): void {
  result.superseders = superseders;
  result.superseded_by = superseders[0] ?? null;
}

function setStatus(present: ModelResult, status: string, { meta, position }: LedgerEvent): void {
  const environment = resultEnvironment(present.run_environment, present.metadata);
  const isMoved = present.final !== null && present.final.environment !== environment;
  const isChange = present.status !== status || isMoved;
  present.status = status;
  if (isChange && status !== 'Pending' && status !== 'Running') {
    const branch = textIn(present.metadata, 'branch') ?? present.run_branch;
    const commit = (textIn(present.metadata, 'commit') ?? present.run_commit) || null;
    const at = present.finished_at ?? present.started_at ?? meta.at;
    present.final = { status, branch, environment, commit, at, opened: position };
  }
  if (status !== 'Failed') return;
  const anchor = anchorOf(understoodResult(present.metadata, present.error_message), present.test_name);
  present.group = groupIdOf(present.project_id, anchor);
}
