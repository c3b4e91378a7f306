/** Causes for the tests of issues. */
import type { Cause } from '../../../../src/cli/forge/issues/causes.js';
import { resultOf } from '../../summary/facts.js';

export function causeOf(
  group: string,
  { run = 'run_1', ...changes }: Partial<Cause> & { run?: string } = {},
): Cause {
  return {
    group,
    title: `toBe in src/${group}.ts`,
    results: 3,
    tests: 2,
    lines: ['jest, os=linux'],
    lastSeen: { run, commit: '0123456789abcdef', at: '2026-11-30T01:02:03.456Z' },
    firstSeen: { run_id: 'run_0', commit: null, at: '2026-11-21T01:02:03.456Z' },
    example: resultOf({ owner: '@shop/cart', file: 'src/cart.ts', line: 7 }),
    names: ['cart › pays by card', 'cart › ships'],
    ...changes,
  };
}

export const place = {
  server: 'https://ledger.example',
  project: { id: 'project_1', name: 'Shop', default_branch: 'main' },
  team: 'team_1',
};
