/**
 * Estimates how many bytes of memory a value takes: texts by their length, everything else by a few words. Never 0. A
 * limit on the number of entries does not bound memory, because the metadata of one may be 64 KiB.
 */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 40;
  for (const name in value) size += 16 + estimateBytes((value as Record<string, unknown>)[name]);
  return size;
}
