/** The form of ids: a TypeID, that is a prefix and 26 characters of base32 (https://github.com/jetify-com/typeid). */

export type IdPrefix =
  | 'team'
  | 'user'
  | 'key'
  | 'project'
  | 'run'
  | 'result'
  | 'artifact'
  | 'test'
  | 'group'
  | 'webhook'
  | 'delivery'
  | 'event';

/** The first character is at most 7: 26 characters hold 130 bits, and a UUID has 128. */
const SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const suffix = new RegExp(`^${SUFFIX}$`);
const item = new RegExp(`^result_(${SUFFIX})_(0|[1-9]\\d{0,5})$`);

/** Whether a text has the form of an id of this kind. Any other text is a 404, like an unknown id. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false;
  return suffix.test(text.slice(prefix.length + 1)) || (prefix === 'result' && item.test(text));
}

/** Returns the id of a result that is submitted with its run. The id names the run and the ordinal of the item. */
export function itemId(runId: string, ordinal: number): string {
  return `result_${runId.slice('run_'.length)}_${ordinal}`;
}

/** Returns the run and the ordinal with which a result was submitted; null for a result that was recorded by itself. */
export function bulkOriginOf(resultId: string): { run_id: string; ordinal: number } | null {
  const [, run, ordinal] = item.exec(resultId) ?? [];
  return run === undefined ? null : { run_id: `run_${run}`, ordinal: Number(ordinal) };
}
