/** Work on many items of one request, of which each may be refused for itself. */
import { errors, AppError } from '../errors.js';

export type Settled<T> = PromiseSettledResult<T>;

/**
 * Does the work of each group of items, all groups at once, and returns the outcomes in the order of the items. An item
 * that `groupOf` refuses is in no group, and a refusal of the work refuses the items of its group.
 * @throws the fault of an item that is no refusal, after all work has ended: a repeat of the request may have none
 */
export async function settledInGroups<T, R>(
  items: readonly T[],
  groupOf: (item: T) => Promise<string> | string,
  work: (group: readonly T[], key: string) => Promise<Settled<R>[]>,
): Promise<Settled<R>[]> {
  const groups = new Map<string, { item: T; n: number }[]>();
  const outcomes: Settled<R>[] = Array.from({ length: items.length });
  const keys = await Promise.allSettled(items.map(async (item) => groupOf(item)));
  for (const [n, item] of items.entries()) {
    const key = keys[n]!;
    if (key.status === 'rejected') {
      outcomes[n] = key;
      continue;
    }
    const group = groups.get(key.value) ?? [];
    groups.set(key.value, group);
    group.push({ item, n });
  }
  const working = [...groups].map(async ([key, group]) => {
    const ended = await work(
      group.map(({ item }) => item),
      key,
    ).catch((reason: unknown) => group.map(() => ({ status: 'rejected', reason }) as const));
    for (const [at, { n }] of group.entries()) outcomes[n] = ended[at]!;
  });
  await Promise.all(working);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isRefusal(outcome.reason)) throw outcome.reason;
  }
  return outcomes;
}

/** The outcome of the only item. @throws its refusal */
export function only<T>([outcome]: readonly Settled<T>[]): T {
  if (outcome!.status === 'rejected') throw outcome!.reason;
  return outcome!.value;
}

/** Whether it says that the request cannot be done as it is. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && errors[error.code].status < 500;
}
