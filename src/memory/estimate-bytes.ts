/** How much memory a value takes, roughly: metadata may be 64 KiB, so a number of entries bounds nothing. */

/** Bytes, cheaply: texts by their length, everything else by a few words. Never 0. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 40;
  for (const name in value) size += 16 + estimateBytes((value as Record<string, unknown>)[name]);
  return size;
}
