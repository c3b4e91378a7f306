/** Stored answers to requests with an Idempotency-Key: they may say what was redacted since. */
import type { Rule } from '../domain/redaction/mask-event.js';
import type { Masks } from '../log/masks.js';
import type { Contents } from '../ports/contents.js';

const RESULT_ID = /"test_result_id":"([^"]+)"/g;

/** Returns the function that says whether a body tells of a redacted thing: then its repeat is answered from its events. */
export function openIsForgotten(
  contents: Pick<Contents, 'marked'>,
  masks: Pick<Masks, 'current'>,
): (body: string) => Promise<boolean> {
  return async (body) => {
    const hidden = await masks.current();
    if (hidden.all.some((rule) => tells(body, rule))) return true;
    const ids = [...body.matchAll(RESULT_ID)].map(([, id]) => id!);
    return ids.length > 0 && (await contents.marked(ids)).size > 0;
  };
}

/** Whatever its team is: a body that only looks like it is made anew, with the same bytes. */
function tells(body: string, rule: Rule): boolean {
  return body.includes('run' in rule ? `"${rule.run}"` : asInJson(rule.text));
}

/** A text as it stands in JSON, without its quotes. */
export function asInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
