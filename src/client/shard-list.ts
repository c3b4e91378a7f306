/** Chooses the tests of a shard from the list that a runner prints of them. It is pure. */
import { NAME_SEPARATOR } from '../test-name.js';
import { balanceShards } from './balance-shards.js';
import type { Shard } from './shard.js';
import type { ShardPlan } from './shard-plan.js';

/**
 * The entries of a list that a shard runs, in the order of the list. `list` has the names of tests, files, packages or
 * tests of pytest; every shard has to give the same list and the same plan. An entry that the plan does not know counts
 * as long as the middle one of those that it knows. Entries with the same part stay together.
 */
export function shardOfList(
  list: readonly string[],
  plan: ShardPlan,
  { index, total }: Shard,
  partOf: (entry: string) => string = (entry) => entry,
): string[] {
  // Of an entry that is listed twice, each copy might go to another shard.
  const entries = [...new Set(list)];
  const inAnyPackage = goDurations(plan);
  const known = entries.map((entry) => durationOf(entry, plan) ?? inAnyPackage.get(entry) ?? null);
  const usual = middle(known.filter((ms) => ms !== null)) ?? 1;
  const parts = new Map<string, number>();
  for (const [n, entry] of entries.entries())
    parts.set(partOf(entry), (parts.get(partOf(entry)) ?? 0) + (known[n] ?? usual));
  const keys = [...parts.keys()];
  const shards = balanceShards(
    keys.map((key) => ({ key, ms: parts.get(key)! })),
    total,
  );
  const own = new Set(keys.filter((_, n) => shards[n] === index - 1));
  return entries.filter((entry) => own.has(partOf(entry)));
}

/** Go lists tests without their packages, and runs those of a name in all of them. */
function goDurations({ durations }: ShardPlan): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, ms] of durations) {
    const [, test, ...more] = name.split(NAME_SEPARATOR);
    if (test !== undefined && more.length === 0) sums.set(test, (sums.get(test) ?? 0) + ms);
  }
  return sums;
}

/** In milliseconds; null for an entry that the plan does not know. */
function durationOf(entry: string, { durations, suites }: ShardPlan): number | null {
  const name = pytestName(entry) ?? entry;
  const known = durations.get(name) ?? suites.get(name);
  if (known !== undefined) return known;
  // Runners list files from the root of the disk, or from another folder than reports do.
  const parts = entry
    .replaceAll('\\', '/')
    .replace(/^(\.?\/)+/, '')
    .split('/');
  for (let from = 0; from < parts.length; from += 1) {
    const ms = suites.get(parts.slice(from).join('/'));
    if (ms !== undefined) return ms;
  }
  return null;
}

/** `tests/test_shop.py::TestCart::test_pays[card]`, as `pytest --collect-only -q` prints it, by its name in testledger. */
function pytestName(entry: string): string | null {
  const [file = '', ...inside] = entry.split('::');
  if (inside.length === 0 || !file.endsWith('.py')) return null;
  const test = inside.pop()!;
  const place = [file.slice(0, -'.py'.length).replaceAll('/', '.'), ...inside].join('.');
  return ['pytest', place, test].join(NAME_SEPARATOR);
}

function middle(all: readonly number[]): number | undefined {
  return all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) / 2)];
}
