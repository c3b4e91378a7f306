/** The rules for free JSON values: bounded in size and depth, with finite numbers and well-formed text. */

export type JsonLimits = { maxBytes: number; maxDepth: number; maxValues: number };

/**
 * Returns the first fault of a JSON object, or null. Bytes are those of its compact UTF-8 JSON; the outermost object
 * is level 1. Every value inside it counts, at any level: 20,000 empty lists are 60 kB as JSON and over a MiB in memory.
 * The walk stops at the limits, so that no nesting can exhaust the stack.
 */
export function jsonFault(value: unknown, limits: JsonLimits): string | null {
  const fault = walk(value, limits.maxDepth, { left: limits.maxValues + 1, maxValues: limits.maxValues });
  if (fault !== null) return fault;
  return Buffer.byteLength(JSON.stringify(value)) > limits.maxBytes
    ? `must not be larger than ${limits.maxBytes} bytes as JSON`
    : null;
}

/** False for a lone surrogate, which cannot be written as UTF-8, and for a NUL, which ends a text in too many systems. */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

type Count = { left: number; maxValues: number };

function walk(value: unknown, depthLeft: number, count: Count): string | null {
  count.left -= 1;
  if (count.left < 0) return `must not contain more than ${count.maxValues} values`;
  if (typeof value === 'string') return isText(value) ? null : NOT_TEXT;
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'must not contain a number that is not finite';
  if (typeof value !== 'object' || value === null) return null;
  if (depthLeft === 0) return 'is nested too deeply';
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = walk(item, depthLeft - 1, count);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    if (!isText(name)) return NOT_TEXT;
    const fault = walk((value as Record<string, unknown>)[name], depthLeft - 1, count);
    if (fault !== null) return fault;
  }
  return null;
}

const NOT_TEXT = 'must not contain a NUL or a lone surrogate';
