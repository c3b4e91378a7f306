/** What is told of a cause, and its sentence for people. */
import { quoted, listed } from '../history/words.js';
import { cut } from '../text/cut.js';
import type { Instant } from '../event.js';

export type CauseFact =
  | { what: 'opened' | 'came_back' | 'fixed'; run_id: string | null }
  /** A member said it. It has only what they set. */
  | {
      what: 'said';
      state?: 'open' | 'fixed';
      owner?: string | null;
      note?: string | null;
      ticket?: string | null;
    }
  /** All its tests are known through it. */
  | { what: 'known'; reason: string; expires_at: Instant }
  /** None is, any more. `replaced`: they are known for another reason. */
  | { what: 'known_ended'; ended: 'expired' | 'requested' | 'replaced' };

export type CauseEvent = CauseFact['what'];

/** Of a text in a sentence. The present one stands on the page whole. */
const TEXT = 300;

/** `actor`: as the subject of a sentence. */
export function sentenceOfCause(fact: CauseFact, actor: string): string {
  switch (fact.what) {
    case 'opened':
      return 'It was seen for the first time.';
    case 'came_back':
      return 'It came back after it was fixed.';
    case 'fixed':
      return 'It is fixed: runs ended without it for longer than it ever stayed away.';
    case 'said':
      return `${actor} ${listed(wordsOf(fact))}.`;
    case 'known':
      return `${actor} marked its tests as known until ${fact.expires_at.slice(0, 10)}: ${cut(fact.reason, TEXT)}`;
    case 'known_ended':
      switch (fact.ended) {
        case 'expired':
          return 'Its tests are not known any more: the time is over.';
        case 'requested':
          return `${actor} ended the known failures of its tests.`;
        case 'replaced':
          return `${actor} marked its tests as known for another reason.`;
      }
  }
}

function wordsOf({ state, owner, note, ticket }: Extract<CauseFact, { what: 'said' }>): string[] {
  return [
    ...(state === undefined ? [] : [state === 'fixed' ? 'said that it is fixed' : 'opened it again']),
    ...(owner === undefined
      ? []
      : [owner === null ? 'took the owner away' : `named ${quoted(cut(owner, TEXT))} as the owner`]),
    ...(note === undefined
      ? []
      : [note === null ? 'took the note away' : `wrote the note ${quoted(cut(note, TEXT))}`]),
    ...(ticket === undefined
      ? []
      : [ticket === null ? 'took the ticket away' : `named the ticket ${cut(ticket, TEXT)}`]),
  ];
}
