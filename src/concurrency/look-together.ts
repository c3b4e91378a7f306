/** Values by their keys; a key without a value is left out. */
type Look<V> = (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;

/** The most keys of a look, unless one caller alone asks for more. */
const MOST_KEYS = 500;

/**
 * Joins looks into a store: the keys that are asked for in one turn of the event loop, by any number of callers, are one
 * look. It begins after the last of them has asked, so that each caller sees all that was written before it asked. A caller
 * that asks while a look is under way waits for the next one: the look may have read before the change that it looks for.
 */
export function lookTogether<V>(look: Look<V>): Look<V> {
  let next: { keys: Set<string>; found: Promise<ReadonlyMap<string, V>> } | null = null;

  function begin(): NonNullable<typeof next> {
    const keys = new Set<string>();
    const found = turnEnds().then(() => {
      if (next === begun) next = null;
      return look([...keys]);
    });
    const begun = { keys, found };
    return begun;
  }

  return async (keys) => {
    if (keys.length === 0) return new Map();
    if (next === null || next.keys.size + keys.length > MOST_KEYS) next = begin();
    const shared = next;
    for (const key of keys) shared.keys.add(key);
    const found = await shared.found;
    if (found.size === 0) return found;
    return new Map([...new Set(keys)].filter((key) => found.has(key)).map((key) => [key, found.get(key)!]));
  };
}

/**
 * After all promises of this turn: a microtask would come before callers that are a few promises behind. A tick comes
 * after them only where a microtask asks for it.
 */
async function turnEnds(): Promise<void> {
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
