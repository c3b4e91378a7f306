/**
 * Waits for the work for at most a time. The work goes on after that, and neither its value nor its fault is seen.
 * @returns what the work returns, or what `late` returns. @throws what either of them throws
 */
export async function withTimeout<T, L>(limitMs: number, work: Promise<T>, late: () => L): Promise<T | L> {
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
