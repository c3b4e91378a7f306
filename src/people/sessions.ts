/**
 * The sessions of people who are signed in. A session ends 14 days after its last use, with the sign-out, when the
 * person sets a new password, and when they are in no team.
 */
import { addMilliseconds, ageMs, instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { limits } from '../limits.js';
import type { State, StateEntry } from '../ports/state.js';
import type { Account } from './accounts.js';
import type { Directory } from './teams.js';
import { hashOfToken, newToken } from './tokens.js';

/**
 * `epoch`: that of the account. The session is void when the account has a higher one. `since`: when the person joined
 * while they were in no team.
 */
export type Session = {
  person_id: string;
  csrf: string;
  epoch: number;
  since: Instant | null;
  created_at: Instant;
  used_at: Instant;
};

export type Sessions = {
  /** Returns the token of a new session. */
  begin(account: Account): Promise<string>;
  find(token: string): Promise<Session | null>;
  end(token: string): Promise<void>;
  endAllOf(person: string): Promise<void>;
};

/** Whether the person has been in a team ever since: `since` is when they joined while they were in none. */
export function isOfPresent(session: Session, since: Instant): boolean {
  // Not by the order of two instants: a clock that was set back would void each new session.
  return session.since === since;
}

const KIND = 'session';
/** The last use is written at most this often. */
const EXTEND_EVERY_MS = 3_600_000;
const PAGE = 500;

export function openSessions(state: State, directory: Pick<Directory, 'person'>, clock: Clock): Sessions {
  const expiry = () => addMilliseconds(instant(clock), limits.sessionMs);

  /** If another request extends it at the same time, one of both is enough. */
  async function extend({ key, value, version }: StateEntry<Session>): Promise<void> {
    if (ageMs(clock, value.used_at) < EXTEND_EVERY_MS) return;
    const used = { ...value, used_at: instant(clock) };
    await state.put(KIND, key, used, { expected: version, expiresAt: expiry() });
  }

  return {
    async begin({ person_id, epoch }) {
      const token = newToken();
      const since = (await directory.person(person_id))?.since ?? null;
      const now = instant(clock);
      const session: Session = { person_id, csrf: newToken(), epoch, since, created_at: now, used_at: now };
      await state.put(KIND, hashOfToken(token)!, session, { expected: 'absent', expiresAt: expiry() });
      return token;
    },
    async find(token) {
      const key = hashOfToken(token);
      const entry = key === null ? null : await state.get<Session>(KIND, key);
      if (entry === null) return null;
      await extend(entry);
      return entry.value;
    },
    async end(token) {
      const key = hashOfToken(token);
      if (key !== null) await state.remove(KIND, key, 'any');
    },
    async endAllOf(person) {
      for (let after: string | undefined, full = true; full;) {
        const page = await state.list<Session>(KIND, { limit: PAGE, ...(after !== undefined && { after }) });
        for (const { key, value } of page) {
          if (value.person_id === person) await state.remove(KIND, key, 'any');
        }
        after = page.at(-1)?.key;
        full = page.length > 0;
      }
    },
  };
}
