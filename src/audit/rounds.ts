/** The rounds of the audit: each tells the keys that have expired, the counts of the last hour, and the notes of the machine. */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { State } from '../ports/state.js';
import type { Audit } from './audit.js';
import { tellNotes, type TeamsOf } from './notes.js';
import type { Tallies } from './tallies.js';

type Parts = {
  audit: Audit;
  tallies: Tallies;
  state: State;
  clock: Clock;
  /** The keys that expired after an instant and up to another one. */
  expired: (after: string, until: string) => readonly Pick<KeyEntry, 'key_id' | 'team_id'>[];
  teamsOf: TeamsOf;
  report: (error: unknown) => void;
};

const EVERY_MS = 10_000;
/** A key that another process has just made may be known here only after its end. */
const LATE_MS = 15_000;
const [KIND, KEY] = ['audit-expired', 'up-to'];

/**
 * Every process has them, because the log takes each act once. A fault is reported, and the next round tries again. Returns
 * a function that stops them.
 */
export function startAuditRounds(parts: Parts): () => Promise<void> {
  const stop = new AbortController();
  const round = openAuditRound(parts);
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= round(stop.signal).finally(() => (running = null));
  }, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
}

/** One round after the other. */
export function openAuditRound(parts: Parts): (signal?: AbortSignal) => Promise<void> {
  const { audit, tallies, state, clock, expired, teamsOf, report } = parts;
  let upTo: string | null = null;

  async function tellExpired(): Promise<void> {
    const now = instant(clock);
    upTo ??= (await state.get<string>(KIND, KEY))?.value ?? '';
    const keys = expired(upTo, now);
    for (const { key_id, team_id } of keys) {
      const act = { act: 'key_expired', subject: { type: 'key', id: key_id } } as const;
      await audit.record(team_id, act, { actor: 'system', correlationId: key_id }, `expired ${key_id}`);
    }
    upTo = addMilliseconds(now, -LATE_MS);
    // A start goes on from here. Another process may have been further: what is told again is there already.
    if (keys.length > 0) await state.put(KIND, KEY, upTo, { expected: 'any' });
  }

  return async (signal = new AbortController().signal) => {
    await tellExpired().catch(report);
    await tellNotes({ audit, state, teamsOf }).catch(report);
    await tallies.tellCounts(signal).catch(report);
  };
}
