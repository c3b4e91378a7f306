/** Chooses the tests of a shard from the list that a runner prints of them. It is pure. */
import { NAME_SEPARATOR } from '../test-name.js';
import { balanceShards } from './balance-shards.js';
import type { Shard } from './shard.js';
import type { ShardPlan } from './shard-plan.js';

/**
 * The entries of a list that a shard runs, in the order of the list. `list` has the names of tests, files, packages or
 * tests of pytest; every shard has to give the same list and the same plan. An entry that the plan does not know counts
 * as long as the middle one of those that it knows.
 */
export function shardOfList(list: readonly string[], plan: ShardPlan, { index, total }: Shard): string[] {
  // Of an entry that is listed twice, each copy might go to another shard.
  const entries = [...new Set(list)];
  const known = entries.map((entry) => durationOf(entry, plan));
  const usual = middle(known.filter((ms) => ms !== null)) ?? 1;
  const shards = balanceShards(
    entries.map((key, n) => ({ key, ms: known[n] ?? usual })),
    total,
  );
  return entries.filter((_, n) => shards[n] === index - 1);
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
