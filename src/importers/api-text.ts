/** Makes what a report says fit for the API, which refuses a whole call for one odd value. */
import { limits } from '../limits.js';

/** A text that the API takes: without a NUL or half of a surrogate pair. */
export function clean(text: string): string {
  const plain = text.isWellFormed() ? text : text.toWellFormed();
  return plain.includes('\0') ? plain.replaceAll('\0', '\ufffd') : plain;
}

/** Room for the fields of metadata that do not come from `extra`, such as file, line and error. */
const OWN_VALUES = 100;

/** Fields for metadata as the API takes them. `cut`: what was too deep, or too much, is left out. */
export function cleanFields(fields: Readonly<Record<string, unknown>>): {
  fields: Record<string, unknown>;
  cut: boolean;
} {
  let left = limits.metadataValues - OWN_VALUES;
  let cut = false;

  /** Undefined where it does not fit. The object of all metadata is level 1. */
  function cleaned(value: unknown, level: number): unknown {
    const isNested = typeof value === 'object' && value !== null;
    if (left === 0 || (isNested && level > limits.metadataLevels)) {
      cut = true;
      return undefined;
    }
    left -= 1;
    if (typeof value === 'string') return clean(value);
    if (!isNested) return value;
    if (Array.isArray(value))
      return (value as unknown[])
        .map((each) => cleaned(each, level + 1))
        .filter((each) => each !== undefined);
    return cleanedObject(value as Record<string, unknown>, level);
  }

  function cleanedObject(object: Readonly<Record<string, unknown>>, level: number): Record<string, unknown> {
    const fit: Record<string, unknown> = {};
    for (const name of Object.keys(object)) {
      const value = cleaned(object[name], level + 1);
      if (value === undefined) continue;
      const key = clean(name);
      // An assignment would set the prototype.
      if (key === '__proto__')
        Object.defineProperty(fit, key, { value, enumerable: true, writable: true, configurable: true });
      else fit[key] = value;
    }
    return fit;
  }

  return { fields: cleanedObject(fields, 1), cut };
}

/** The API refuses a start that is more than a day ahead. */
export function isTooLate(instant: string): boolean {
  return Date.parse(instant) > Date.now() + limits.startAheadMs;
}
