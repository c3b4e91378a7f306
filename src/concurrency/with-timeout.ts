/**
 * Waits so long at the most, then answers what `late` gives, or throws what it throws. The work itself goes on, and what
 * becomes of it later is nobody's.
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
