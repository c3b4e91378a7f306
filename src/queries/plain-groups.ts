/**
 * Groups of failures without an environment: what is left of their counts without those in environments. Nothing else is stored
 * for them, so they are in order among the largest groups only.
 */
import type { GroupDocument, SightingDocument } from '../../projections/history/failure-counts.js';

/** Null where all failing results are in environments. */
export function plainSighting<S extends SightingDocument>(sighting: S): S | null {
  const { results, in_environments = 0, tests, tests_in_environments = 0 } = sighting;
  if (results === in_environments) return null;
  const left = { results: results - in_environments, tests: tests && tests - tests_in_environments };
  return { ...sighting, ...left };
}

/** Null as above. Its first and last sighting may be in environments, so they have to be looked up. */
export function plainGroup<G extends GroupDocument>(group: G): G | null {
  const { results, in_environments = 0, runs, runs_in_environments = 0 } = group;
  if (results === in_environments) return null;
  if (in_environments === 0) return group;
  const left = { results: results - in_environments, runs: runs - runs_in_environments };
  return { ...group, ...left, first: null, last: null };
}
