/** Who did what the audit tells. */
import { subjectOf } from '../history/words.js';
import { isId } from '../ids.js';
import { OPERATOR } from '../teams/members.js';

export type AuditActor = {
  type: 'person' | 'key' | 'build' | 'operator' | 'unknown' | 'system';
  /** Null for one that has no id. */
  id: string | null;
  /** Null where it is not known any more. */
  name: string | null;
};

/** In the place of an actor who is not known: somebody who typed a wrong password. */
export const UNKNOWN = 'unknown';

const BUILD = 'build ';

/** `actor`: as events have it. `name`: that of a key or a person. */
export function auditActor(actor: string, name: string | null): AuditActor {
  if (isId('person', actor)) return { type: 'person', id: actor, name };
  if (isId('key', actor)) return { type: 'key', id: actor, name };
  if (actor.startsWith(BUILD)) return { type: 'build', id: null, name: actor.slice(BUILD.length) };
  if (actor === OPERATOR || actor === UNKNOWN) return { type: actor, id: null, name: null };
  return { type: 'system', id: null, name: null };
}

/** The beginning of a sentence. */
export function actorInSentence(actor: string, name: string | null): string {
  if (actor === OPERATOR) return 'Somebody on the machine of the server';
  return actor === UNKNOWN ? 'Somebody' : subjectOf({ id: actor, name });
}
