/**
 * The sessions of people who are signed in. A session ends 14 days after its last use, some time after the sign-in
 * however often it is used, with the sign-out, when the person sets a new password, and when they are in no team.
 */
import { addMilliseconds, ageMs, instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { limits } from '../limits.js';
import type { State, StateEntry } from '../ports/state.js';
import type { Account } from './accounts.js';
import type { Client } from './client.js';
import { entriesBelow } from './entries.js';
import type { Directory } from './teams.js';
import { hashOfText, newToken } from './tokens.js';

/**
 * `epoch`: that of the account. The session is void when the account has a higher one. `since`: when the person joined
 * while they were in no team. `proven_at`: when they showed last that it is them; null where they have not.
 */
export type Session = {
  person_id: string;
  csrf: string;
  epoch: number;
  since: Instant | null;
  client: Client | null;
  created_at: Instant;
  used_at: Instant;
  ends_at: Instant;
  proven_at: Instant | null;
};

/** How a session begins. `isProven`: by a password, or by a sign-in at the provider that was asked for anew. */
export type Beginning = { client?: Client | undefined; by: 'password' | 'provider'; isProven: boolean };

export type Sessions = {
  /** Returns the token of a new session. The one that was used longest ago ends where the person has too many. */
  begin(account: Account, how: Beginning): Promise<string>;
  find(token: string): Promise<Session | null>;
  /** The person has shown again that it is them. */
  prove(token: string): Promise<void>;
  /** Returns the person whose session it was; null where there was none. */
  end(token: string): Promise<string | null>;
  /** The sessions of a person with their ids, which are no secrets, and which of them is the one with this token. */
  of(person: string, token: string): Promise<(Session & { id: string; isThis: boolean })[]>;
  /** Both return how many there were. `but`: the token of the one that stays. */
  endOne(person: string, id: string): Promise<number>;
  endAllOf(person: string, but?: string): Promise<number>;
};

/** Milliseconds after the sign-in at which a session ends in any case. */
export type SessionMax = { password: number; provider: number };

/** Whether the person has been in a team ever since: `since` is when they joined while they were in none. */
export function isOfPresent(session: Session, since: Instant): boolean {
  // Not by the order of two instants: a clock that was set back would void each new session.
  return session.since === since;
}

const KIND = 'session';
/** The last use is written at most this often. */
const EXTEND_EVERY_MS = 3_600_000;

type Parts = { state: State; directory: Pick<Directory, 'person'>; clock: Clock; max: SessionMax };

/** Long because all functions share the state: each is short. */
export function openSessions({ state, directory, clock, max }: Parts): Sessions {
  const expiresAt = ({ ends_at }: Session): Instant => {
    const unused = addMilliseconds(instant(clock), limits.sessionMs);
    return unused < ends_at ? unused : ends_at;
  };
  const put = ({ key, version }: { key: string; version: number }, value: Session) =>
    state.put(KIND, key, value, { expected: version, expiresAt: expiresAt(value) });
  const below = (person: string) => entriesBelow<Session>(state, KIND, `${person}/`);

  async function entryOf(token: string): Promise<StateEntry<Session> | null> {
    const key = keyOf(token);
    const entry = key === null ? null : await state.get<Session>(KIND, key);
    return entry !== null && entry.value.ends_at > instant(clock) ? entry : null;
  }

  async function endTooMany(person: string): Promise<void> {
    const all = (await below(person)).toSorted((one, other) =>
      one.value.used_at < other.value.used_at ? 1 : -1,
    );
    for (const { key } of all.slice(limits.sessionsPerPerson)) await state.remove(KIND, key, 'any');
  }

  return {
    async begin({ person_id, epoch }, { client, by, isProven }) {
      const token = `${person_id}-${newToken()}`;
      const since = (await directory.person(person_id))?.since ?? null;
      const now = instant(clock);
      const session: Session = {
        person_id,
        csrf: newToken(),
        epoch,
        since,
        client: client ?? null,
        created_at: now,
        used_at: now,
        ends_at: addMilliseconds(now, max[by]),
        proven_at: isProven ? now : null,
      };
      await state.put(KIND, keyOf(token)!, session, { expected: 'absent', expiresAt: expiresAt(session) });
      await endTooMany(person_id);
      return token;
    },
    async find(token) {
      const entry = await entryOf(token);
      if (entry === null) return null;
      // If another request extends it at the same time, one of both is enough.
      if (ageMs(clock, entry.value.used_at) >= EXTEND_EVERY_MS)
        await put(entry, { ...entry.value, used_at: instant(clock) });
      return entry.value;
    },
    async prove(token) {
      for (let done = false; !done;) {
        const entry = await entryOf(token);
        done = entry === null || (await put(entry, { ...entry.value, proven_at: instant(clock) })) !== null;
      }
    },
    async end(token) {
      const key = keyOf(token);
      if (key === null || !(await state.remove(KIND, key, 'any'))) return null;
      return key.slice(0, key.indexOf('/'));
    },
    async of(person, token) {
      const own = keyOf(token);
      return (await below(person))
        .filter(({ value }) => value.ends_at > instant(clock))
        .map(({ key, value }) => ({ ...value, id: key.slice(person.length + 1), isThis: key === own }))
        .toSorted((one, other) => (one.used_at < other.used_at ? 1 : -1));
    },
    endOne: async (person, id) => Number(await state.remove(KIND, `${person}/${id}`, 'any')),
    async endAllOf(person, but) {
      const kept = but === undefined ? null : keyOf(but);
      let ended = 0;
      for (const { key } of await below(person))
        if (key !== kept) ended += Number(await state.remove(KIND, key, 'any'));
      return ended;
    },
  };
}

const form = /^(person_\w+)-[\w-]{43}$/;

/** The token names its person, so that all sessions of a person are found. Null for a text that is no token. */
function keyOf(token: string): string | null {
  const person = token.length > 200 ? undefined : form.exec(token)?.[1];
  return person === undefined ? null : `${person}/${hashOfText(token)}`;
}
