/** Stored answers to requests with an Idempotency-Key: they may say what was redacted since. */
import type { Rule } from '../domain/redaction/mask-event.js';
import type { Masks } from '../log/masks.js';
import { setImmediate as turn } from 'node:timers/promises';
import type { Contents } from '../ports/contents.js';
import type { State } from '../ports/state.js';
import { ANSWERS, withoutAnswer, type AnswerEntry } from '../commands/idempotency.js';

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
  if ('purged' in rule) return [...rule.purged].some((id) => body.includes(`"${id}"`));
  if ('fields' in rule) return [...rule.fields.keys()].some((id) => body.includes(`"${id}"`));
  return body.includes('run' in rule ? `"${rule.run}"` : asInJson(rule.text));
}

/** A text as it stands in JSON, without its quotes. */
export function asInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const ANSWERS_AT_ONCE = 500;

/** Takes every stored answer away that has a text: a repeat of its request is answered from its events. */
export async function forgetAnswers(state: Pick<State, 'list' | 'put'>, text: string): Promise<void> {
  for (let after = ''; ;) {
    const page = await state.list<AnswerEntry>(ANSWERS, { after, limit: ANSWERS_AT_ONCE });
    for (const { key, value, version } of page) {
      const left = withoutAnswer(value, text);
      if (left !== null)
        await state.put(ANSWERS, key, left.value, { expected: version, expiresAt: left.expiresAt });
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key;
    await turn();
  }
}
