/** Which items of a submission supersede which: of one name, each attempt supersedes the next lower one. */

export type Superseding = {
  /** Of an item that is superseded: the ordinal of the one that does. */
  by: ReadonlyMap<number, number>;
  /** Of an item that supersedes others: their ordinals, in order. */
  of: ReadonlyMap<number, readonly number[]>;
};

/**
 * Takes names and attempts by ordinal. Of items with the same name and attempt the first supersedes those with the next
 * lower attempt that there is, all of them.
 */
export function superseding(names: readonly string[], attempts: readonly number[]): Superseding {
  const by = new Map<number, number>();
  const of = new Map<number, number[]>();
  // Nearly always: nothing was tried twice.
  if (attempts.every((attempt) => attempt === attempts[0])) return { by, of };

  const byName = new Map<string, number[]>();
  names.forEach((name, ordinal) => {
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [ordinal]);
    else same.push(ordinal);
  });
  for (const ordinals of byName.values()) {
    if (ordinals.length === 1) continue;
    // By attempt, and by ordinal among equals: sorting is stable.
    ordinals.sort((a, b) => attempts[a]! - attempts[b]!);
    let lower: number[] = [];
    for (let at = 0; at < ordinals.length;) {
      const first = ordinals[at]!;
      const equal: number[] = [];
      while (at < ordinals.length && attempts[ordinals[at]!] === attempts[first]) equal.push(ordinals[at++]!);
      for (const ordinal of lower) by.set(ordinal, first);
      if (lower.length > 0) of.set(first, lower);
      lower = equal;
    }
  }
  return { by, of };
}
