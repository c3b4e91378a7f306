/**
 * The lines of the items of a submission. A line is a test in an environment: attempts supersede one another within it, so a
 * pass on Linux never hides a failure on Windows.
 */
import {
  environmentKeyIn,
  environmentOf,
  resultEnvironment,
  type EnvironmentKey,
} from '../../domain/environment.js';
import type { Metadata } from '../../domain/runs/run.js';

/** As a text, which is the name alone in the environment of the call: most items are in it. No name has a NUL. */
export function lineOf(name: string, environment: EnvironmentKey, ofCall: EnvironmentKey): string {
  return environment === ofCall ? name : `${name}\0${environment}`;
}

/** The ordinals of the items that have pairs of their own, by these. Few submissions have such items. */
export type OwnEnvironments = Map<EnvironmentKey, number[]>;

export function noteOwnEnvironment(owns: OwnEnvironments, ordinal: number, metadata: Metadata | null): void {
  const own = environmentKeyIn(metadata);
  if (own === '') return;
  const same = owns.get(own);
  if (same === undefined) owns.set(own, [ordinal]);
  else same.push(ordinal);
}

/** By ordinal. The names themselves where all items are in the environment of the call. */
export function linesOf(
  names: readonly string[],
  owns: OwnEnvironments,
  ofCall: EnvironmentKey,
): readonly string[] {
  if (owns.size === 0) return names;
  const lines = [...names];
  for (const [own, ordinals] of owns) {
    const environment = resultEnvironment(ofCall, { environment: environmentOf(own) });
    for (const ordinal of ordinals) lines[ordinal] = lineOf(names[ordinal]!, environment, ofCall);
  }
  return lines;
}
