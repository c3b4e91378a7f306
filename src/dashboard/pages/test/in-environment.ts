/** What pages say of the environment that a state, an outcome or a known failure is of. */
import type { TestView } from './load.js';

/** A test whose results name no environment has one line, which says nothing that its state does not. */
export function isInEnvironments({ environments }: Pick<TestView['test'], 'environments'>): boolean {
  return environments.some(({ environment_key }) => environment_key !== '');
}

export function inEnvironment({ environment_key }: { environment_key: string }): string {
  return environment_key === '' ? 'without an environment' : `in ${environment_key}`;
}

/** Where a known failure holds: nothing where that is everywhere. */
export function knownWhere(known: { branch: string | null; environment_key: string | null }): string {
  const { branch, environment_key } = known;
  return [
    ...(branch === null ? [] : [`on ${branch}`]),
    ...(environment_key === null ? [] : [inEnvironment({ environment_key })]),
  ].join(' ');
}
