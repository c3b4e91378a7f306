/**
 * Which results of other attempts of a shard the items of a new attempt replace, line by line (`item-lines.ts`), and which
 * ones replace them. In each attempt, the first item with the highest `attempt` of its line replaces all items of that line
 * in lower attempts of the shard. So the order in which the attempts come makes no difference.
 */
import { itemId } from '../domain/ids.js';
import { invalidFields } from '../errors.js';
import { limits } from '../limits.js';

/** Items of another attempt of the shard, in order, from the ordinal `first` on. */
export type OtherItems = {
  attempt: number;
  submission_id: string;
  first: number;
  lines: readonly string[];
  /** The attempt of each item in its submission. */
  attempts: readonly number[];
};

export type Replacing = {
  /** By the ordinal of an item: the ids of the results that it replaces. */
  of(ordinal: number): readonly string[];
  /** By the line of an item: the ids of the results that replace it, those of the lowest attempt first. */
  by(line: string): readonly string[];
  /** The number of results that count no more, of both sides. */
  replaced: number;
};

export const replacesNothing: Replacing = { of: () => [], by: () => [], replaced: 0 };

type Line = {
  /** The number of own items. */
  own: number;
  /** The own item that replaces others. */
  first: number;
  /** Items of lower attempts: pairs of their submission's index and their ordinal. */
  lower: number[];
  /** By a higher attempt: the item that replaces others. */
  higher: Map<number, { id: string; attempt: number }>;
  /** By another attempt: the number of its items. */
  others: Map<number, number>;
};

/**
 * Takes the lines and attempts of the items by ordinal, and the attempt of their shard. `add` takes the items of the other
 * attempts; it keeps only those whose line the own items have.
 */
export function openReplacing(lines: readonly string[], attempts: readonly number[], shardAttempt: number) {
  const byLine = new Map<string, Line>();
  const submissions: string[] = [];
  lines.forEach((line, ordinal) => {
    const same = byLine.get(line);
    if (same === undefined) {
      byLine.set(line, { own: 1, first: ordinal, lower: [], higher: new Map(), others: new Map() });
      return;
    }
    same.own += 1;
    if (attempts[ordinal]! > attempts[same.first]!) same.first = ordinal;
  });

  return {
    add({ attempt, submission_id, first, lines: otherLines, attempts: otherAttempts }: OtherItems): void {
      let submission = submissions.lastIndexOf(submission_id);
      if (submission === -1) submission = submissions.push(submission_id) - 1;
      otherLines.forEach((line, n) => {
        const same = byLine.get(line);
        if (same === undefined) return;
        const ordinal = first + n;
        same.others.set(attempt, (same.others.get(attempt) ?? 0) + 1);
        if (attempt < shardAttempt) return void same.lower.push(submission, ordinal);
        const best = same.higher.get(attempt);
        if (best !== undefined && best.attempt >= otherAttempts[n]!) return;
        same.higher.set(attempt, { id: itemId(submission_id, ordinal), attempt: otherAttempts[n]! });
      });
    },

    /** @throws AppError `validation_failed` where one result would replace too many for one change of the read models. */
    end(): Replacing {
      let replaced = 0;
      for (const same of byLine.values()) {
        mustBeFew(same, shardAttempt);
        // Those of lower attempts than the highest other one are replaced already.
        if (same.higher.size > 0) replaced += same.own;
        else replaced += same.others.get(Math.max(...same.others.keys())) ?? 0;
      }
      const higherOf = new Map<string, readonly string[]>();
      return {
        replaced,
        of(ordinal) {
          const same = byLine.get(lines[ordinal]!)!;
          return same.first === ordinal ? pairs(same.lower, submissions) : [];
        },
        by(line) {
          let ids = higherOf.get(line);
          if (ids === undefined) higherOf.set(line, (ids = inOrder(byLine.get(line)!.higher)));
          return ids;
        },
      };
    },
  };
}

function mustBeFew({ own, first, others }: Line, shardAttempt: number): void {
  const highest = Math.max(shardAttempt, ...others.keys());
  let count = shardAttempt === highest ? 0 : own;
  for (const [attempt, items] of others) if (attempt !== highest) count += items;
  if (count <= limits.supersededPerItem) return;
  const detail =
    `is the name of ${count} results in lower attempts of the shard; at most ${limits.supersededPerItem} are ` +
    'allowed, so give them different names';
  invalidFields([{ pointer: `/results/${first}/name`, code: 'too_many', detail }]);
}

function pairs(lower: readonly number[], submissions: readonly string[]): string[] {
  const ids: string[] = [];
  for (let n = 0; n < lower.length; n += 2) ids.push(itemId(submissions[lower[n]!]!, lower[n + 1]!));
  return ids;
}

function inOrder(higher: Line['higher']): string[] {
  return [...higher].sort(([one], [other]) => one - other).map(([, { id }]) => id);
}
