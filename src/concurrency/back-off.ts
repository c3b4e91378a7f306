/** The first pause and the longest one. */
export type BackOff = { firstMs: number; longestMs: number };

/** The pause after a number of failures in a row, 1 or more: the first one, then twice as long each time, up to the longest. */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}
