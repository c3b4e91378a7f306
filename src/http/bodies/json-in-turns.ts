/** The JSON of long lists, in parts between which other requests have their turns. */
import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

/** What is written in about 5 ms. */
const PART_CHARACTERS = 1_024 * 1_024;

/**
 * What `JSON.stringify` writes of an object as the API answers: its long list is a field of it. A long text comes as its bytes:
 * a text of 8 MB is copied three times on its way, each time as a whole, and took 100 ms from all others.
 */
export async function jsonInTurns(body: object): Promise<string | Buffer> {
  // In one call where nothing is long: a call for each field, and each name, takes several times as long.
  if (!Object.values(body).some(Array.isArray)) return JSON.stringify(body);
  const parts: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    if (value === undefined) continue;
    text += `${text === '{' && parts.length === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    for (const [n, item] of (value as unknown[]).entries()) {
      text += `${n === 0 ? '[' : ','}${JSON.stringify(item) ?? 'null'}`;
      if (text.length < PART_CHARACTERS) continue;
      parts.push(Buffer.from(text));
      text = '';
      await setImmediate();
    }
    text += value.length === 0 ? '[]' : ']';
  }
  text += '}';
  return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]);
}
