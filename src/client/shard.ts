/** Which part of a run a call is, such as `2/5`. */
export type Shard = { index: number; total: number };

/** The API takes no more (docs/limits.md). */
export const MOST_SHARDS = 1_000;

/** Null for a text, or for numbers, that name no shard. */
export function shardFrom(given: string | Shard): Shard | null {
  const { index, total } = typeof given === 'string' ? numbersIn(given) : given;
  if (!Number.isInteger(index) || !Number.isInteger(total)) return null;
  return index >= 1 && index <= total && total <= MOST_SHARDS ? { index, total } : null;
}

function numbersIn(text: string): Shard {
  const [, index, total] = /^(\d{1,4})\/(\d{1,4})$/.exec(text.trim()) ?? [];
  return { index: Number(index), total: Number(total) };
}
