/** Which items of a submission supersede which others: each attempt supersedes the next lower attempt of its line. */

export type Superseding = {
  /** By the ordinal of a superseded item: the ordinal of the item that supersedes it. */
  by: ReadonlyMap<number, number>;
  /** By the ordinal of an item: the ordinals of the items that it supersedes, in order. */
  of: ReadonlyMap<number, readonly number[]>;
};

/**
 * Takes the lines (`item-lines.ts`) and attempts of the items by ordinal. If several items have the same line and attempt,
 * the first one supersedes all items of that line with the next lower attempt.
 */
export function superseding(lines: readonly string[], attempts: readonly number[]): Superseding {
  const by = new Map<number, number>();
  const of = new Map<number, number[]>();
  // The usual case: no test was tried twice.
  if (attempts.every((attempt) => attempt === attempts[0])) return { by, of };

  const byLine = new Map<string, number[]>();
  lines.forEach((line, ordinal) => {
    const same = byLine.get(line);
    if (same === undefined) byLine.set(line, [ordinal]);
    else same.push(ordinal);
  });
  for (const ordinals of byLine.values()) {
    if (ordinals.length === 1) continue;
    // By attempt and then by ordinal: the sort is stable.
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
