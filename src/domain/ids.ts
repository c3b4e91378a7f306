/** The form of ids: a TypeID, that is a prefix and 26 characters of base32 (https://github.com/jetify-com/typeid). */

export type IdPrefix =
  | 'team'
  | 'person'
  | 'key'
  | 'trust'
  | 'link'
  | 'badge'
  | 'project'
  | 'run'
  | 'result'
  | 'artifact'
  | 'test'
  | 'group'
  | 'webhook'
  | 'delivery'
  | 'redaction'
  | 'event';

/** The first character is at most 7: 26 characters hold 130 bits, and a UUID has 128. */
const SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const suffix = new RegExp(`^${SUFFIX}$`);
const item = new RegExp(`^result_${SUFFIX}_(?:0|[1-9]\\d{0,5})$`);

/** Whether a text has the form of an id of this kind. Any other text is a 404, like an unknown id. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false;
  return suffix.test(text.slice(prefix.length + 1)) || (prefix === 'result' && item.test(text));
}

/**
 * Returns the id of a result that is submitted. It names the submission and the ordinal of the item. The id of a
 * submission has the form of a run's: it is that of the run, if the run has no key.
 */
export function itemId(submissionId: string, ordinal: number): string {
  return itemIdPrefix(submissionId) + ordinal;
}

/** What the ids of all items of a submission begin with; the ordinal follows. */
export function itemIdPrefix(submissionId: string): string {
  return `result_${submissionId.slice('run_'.length)}_`;
}

/** The length of the id of a result that was recorded by itself. */
const LENGTH_ALONE = 'result_'.length + 26;

/**
 * Returns the submission and the ordinal of a submitted result; null for a result that was recorded by itself, and for other
 * texts. Without a regular expression, which took a twentieth of the time of a fold.
 */
export function bulkOriginOf(resultId: string): BulkOrigin | null {
  if (newest.resultId !== resultId) newest = { resultId, origin: originIn(resultId, newest.origin) };
  return newest.origin;
}

type BulkOrigin = { readonly submission_id: string; readonly ordinal: number };

/** A fold asks for that of each result six times, one result after the other. */
let newest: { resultId: string; origin: BulkOrigin | null } = { resultId: '', origin: null };

/** `before`: that of the result before, nearly always of the same submission, whose text is kept. */
function originIn(resultId: string, before: BulkOrigin | null): BulkOrigin | null {
  if (resultId.length <= LENGTH_ALONE || resultId[LENGTH_ALONE] !== '_') return null;
  const digits = resultId.slice(LENGTH_ALONE + 1);
  const ordinal = Number(digits);
  if (digits.length > MOST_DIGITS || String(ordinal) !== digits) return null;
  const submission_id = `run_${resultId.slice('result_'.length, LENGTH_ALONE)}`;
  return {
    submission_id: before?.submission_id === submission_id ? before.submission_id : submission_id,
    ordinal,
  };
}

const MOST_DIGITS = 6;
