/**
 * Waits for the work for at most a time. The work goes on after that, and neither its value nor its fault is seen.
 * @returns what the work returns, or what `late` returns. @throws what either of them throws
 */
export async function withTimeout<T, L>(limitMs: number, work: Promise<T>, late: () => L): Promise<T | L> {
  // Much work has ended already, from something that is kept in memory: a timer would cost more than that.
  let ended = false;
  const end = (): void => void (ended = true);
  work.then(end, end);
  // For work that has ended, the callback above comes first: callbacks run in the order in which they were added.
  await Promise.resolve();
  if (ended) return await work;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  }).then(late);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
