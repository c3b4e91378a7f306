/** The form of ids: TypeID, a prefix and 26 characters of base32 (https://github.com/jetify-com/typeid). */

export type IdPrefix =
  | 'team'
  | 'user'
  | 'key'
  | 'project'
  | 'run'
  | 'result'
  | 'artifact'
  | 'test'
  | 'webhook'
  | 'delivery'
  | 'event';

/** The first character holds two bits only: a UUID has 128. */
const SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const suffix = new RegExp(`^${SUFFIX}$`);
const item = new RegExp(`^result_(${SUFFIX})_(0|[1-9]\\d{0,5})$`);

/** Whether a text is an id of this kind. One that is not names nothing: a 404, like an unknown one. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false;
  return suffix.test(text.slice(prefix.length + 1)) || (prefix === 'result' && item.test(text));
}

/** The id of a result that was submitted with its run: it names its birthplace. */
export function itemId(runId: string, ordinal: number): string {
  return `result_${runId.slice('run_'.length)}_${ordinal}`;
}

/** The run that a result was submitted with, and its place there; null for one that was recorded by itself. */
export function bulkOriginOf(resultId: string): { run_id: string; ordinal: number } | null {
  const [, run, ordinal] = item.exec(resultId) ?? [];
  return run === undefined ? null : { run_id: `run_${run}`, ordinal: Number(ordinal) };
}
