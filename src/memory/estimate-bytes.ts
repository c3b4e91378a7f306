/**
 * Estimates how many bytes of memory a value takes: texts by their length, everything else by a few words. Never 0. A
 * limit on the number of entries does not bound memory, because the metadata of one may be 64 KiB.
 */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 40;
  // Several times as fast as by the names of its fields.
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) size += 16 + estimateBytes(each);
    return size;
  }
  for (const name in value) size += 16 + estimateBytes((value as Record<string, unknown>)[name]);
  return size;
}
