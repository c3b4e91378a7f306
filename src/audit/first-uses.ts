/**
 * Tells when a key is used from a network for the first time. A request looks into memory only; what is new there is told
 * behind, and the log takes it once. A key tells only so many networks a day: whoever has one could use it from millions.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { instant, type Clock } from '../clock.js';
import type { Client } from '../domain/audit/told-events.js';
import type { KeyEntry } from '../keys/api-keys.js';
import { limits } from '../limits.js';
import type { Audit } from './audit.js';

export type FirstUses = { used(key: KeyEntry, client: Client): void; close(): Promise<void> };

type Parts = {
  audit: Audit;
  /** A name for a text that nobody can guess it from without the key of the person; null for a forgotten one. */
  nameFor: (person: string, text: string) => Promise<string | null>;
  clock: Clock;
  report: (error: unknown) => void;
};

const MOST_KNOWN = 20_000;
const MOST_WAITING = 1_000;

export function openFirstUses({ audit, nameFor, clock, report }: Parts): FirstUses {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN });
  const told = new LRUCache<string, { day: string; networks: number }>({ max: MOST_KNOWN });
  const waiting: { key: KeyEntry; client: Client; pair: string }[] = [];
  let working: Promise<void> | null = null;

  function toldToday({ key_id }: KeyEntry): { day: string; networks: number } {
    const day = instant(clock).slice(0, 10);
    const present = told.get(key_id);
    if (present?.day === day) return present;
    const anew = { day, networks: 0 };
    told.set(key_id, anew);
    return anew;
  }

  async function tell(key: KeyEntry, client: Client): Promise<void> {
    const { key_id, person_id, team_id } = key;
    const text = `${key_id} ${client.network}`;
    // The name of a stream is for ever: the network of a person must not be guessed from it.
    const name = person_id === null ? hash('sha256', text) : await nameFor(person_id, text);
    if (name === null) return;
    const subject = { type: 'key', id: key_id };
    const sender = { actor: key_id, correlationId: key_id, person: person_id, client };
    const isNew = await audit.record(team_id, { act: 'key_first_used', subject }, sender, `use ${name}`);
    if (isNew) toldToday(key).networks += 1;
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { key, client, pair } = next;
      if (toldToday(key).networks >= limits.networksToldPerKey) known.delete(pair);
      else
        await tell(key, client).catch((error: unknown) => {
          // Its next use tells it.
          known.delete(pair);
          report(error);
        });
    }
  }

  return {
    used(key, client) {
      const pair = `${key.key_id} ${client.network}`;
      if (known.has(pair) || waiting.length >= MOST_WAITING) return;
      if (toldToday(key).networks >= limits.networksToldPerKey) return;
      known.set(pair, true);
      waiting.push({ key, client, pair });
      working ??= work().finally(() => (working = null));
    },
    close: async () => void (await working),
  };
}
