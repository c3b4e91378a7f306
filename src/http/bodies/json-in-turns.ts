/** The JSON of long lists, in parts between which other requests have their turns. */
import { setImmediate } from 'node:timers/promises';

/** What is written in about 5 ms. */
const PART_CHARACTERS = 1_024 * 1_024;

/** The same text as that of `JSON.stringify`, for an object as the API answers: its long list is a field of it. */
export async function jsonInTurns(body: object): Promise<string> {
  let written = 0;
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    if (value === undefined) continue;
    const items: string[] = [];
    for (const item of Array.isArray(value) ? (value as unknown[]) : []) {
      const text = JSON.stringify(item) ?? 'null';
      items.push(text);
      written += text.length;
      if (written < PART_CHARACTERS) continue;
      written = 0;
      await setImmediate();
    }
    fields.push(
      `${JSON.stringify(name)}:${Array.isArray(value) ? `[${items.join()}]` : JSON.stringify(value)}`,
    );
  }
  return `{${fields.join()}}`;
}
