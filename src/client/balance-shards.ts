/** Deals parts of a test suite out to shards, so that the shards take about the same time. It is pure. */

/** Tests that stay together. */
export type Part = {
  /** Unique, and the same in every shard. */
  key: string;
  /** How long it takes. */
  ms: number;
};

/**
 * Answers the index of the shard, from 0, for each part. The longest part comes first, and each goes to the shard that has
 * the least so far (the rule of longest processing time, which is at most a third over the best). The answer follows from
 * the parts alone, in any order, so every shard computes the same one.
 */
export function balanceShards(parts: readonly Part[], total: number): number[] {
  const order = [...parts.keys()].sort(
    (a, b) => parts[b]!.ms - parts[a]!.ms || (parts[a]!.key < parts[b]!.key ? -1 : 1),
  );
  const loads = Array.from({ length: total }, () => ({ ms: 0, parts: 0 }));
  const shards = parts.map(() => 0);
  for (const n of order) {
    let least = 0;
    for (let shard = 1; shard < total; shard += 1) {
      const [one, other] = [loads[shard]!, loads[least]!];
      // Parts that take no time are dealt out too.
      if (one.ms < other.ms || (one.ms === other.ms && one.parts < other.parts)) least = shard;
    }
    shards[n] = least;
    loads[least]!.ms += parts[n]!.ms;
    loads[least]!.parts += 1;
  }
  return shards;
}
