/**
 * Does the work for each item, at most `atOnce` of them at the same time. After the first fault it begins no more.
 * @throws the first fault, after all work that had begun has ended
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const faults: unknown[] = [];
  const worker = async () => {
    for (const item of rest) {
      if (faults.length > 0) return;
      await work(item).catch((error: unknown) => void faults.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (faults.length > 0) throw faults[0];
}
