/**
 * Tells when something that opens doors, such as a key, is used from a network for the first time. A request looks into
 * memory only; what is new there is told behind, and the log takes it once. Each thing tells only so many networks a day:
 * whoever has a key could use it from millions.
 */
import { hash } from 'node:crypto';
import { instant, type Clock } from '../clock.js';
import type { Client, StoredClient } from '../domain/audit/told-events.js';
import { limits } from '../limits.js';
import { recentlyUsed } from '../memory/recently-used.js';
import type { Act, Audit, Sender } from './audit.js';

/** `person`: with whose key the network is sealed; null for something without a person. `daily`: it is told again on each day. */
export type Use = Act & Pick<Sender, 'actor'> & { team: string; person: string | null; daily?: boolean };

export type FirstUses = { used(use: Use, client: Client): void; close(): Promise<void> };

type Parts = {
  audit: Audit;
  /** A name for a text that nobody can guess it from without the key of the person; null for a forgotten one. */
  nameFor: (person: string, text: string) => Promise<string | null>;
  sealClient: (person: string | null, client: Client) => Promise<StoredClient | null>;
  clock: Clock;
  report: (error: unknown) => void;
};

const MOST_KNOWN = 20_000;
const MOST_WAITING = 1_000;

export function openFirstUses({ audit, nameFor, sealClient, clock, report }: Parts): FirstUses {
  const known = recentlyUsed<string, true>(MOST_KNOWN);
  /** By the id of the thing. */
  const told = recentlyUsed<string, { day: string; networks: number }>(MOST_KNOWN);
  const waiting: { use: Use; client: Client; pair: string }[] = [];
  let working: Promise<void> | null = null;

  const today = () => instant(clock).slice(0, 10);

  function toldToday({ subject }: Use): { day: string; networks: number } {
    const day = today();
    const present = told.get(subject.id);
    if (present?.day === day) return present;
    const anew = { day, networks: 0 };
    told.set(subject.id, anew);
    return anew;
  }

  async function tell(use: Use, client: Client, pair: string): Promise<void> {
    const { team, person, actor, daily: _, ...act } = use;
    // The name of a stream is for ever: the network of a person must not be guessed from it.
    const name = person === null ? hash('sha256', pair) : await nameFor(person, pair);
    if (name === null) return;
    const sender = { actor, correlationId: act.subject.id, client: () => sealClient(person, client) };
    if (await audit.record(team, act, sender, `use ${name}`)) toldToday(use).networks += 1;
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { use, client, pair } = next;
      if (toldToday(use).networks >= limits.networksToldPerKey) known.delete(pair);
      else
        await tell(use, client, pair).catch((error: unknown) => {
          // Its next use tells it.
          known.delete(pair);
          report(error);
        });
    }
  }

  return {
    used(use, client) {
      const pair = `${use.subject.id} ${client.network}${use.daily === true ? ` ${today()}` : ''}`;
      if (known.has(pair) || waiting.length >= MOST_WAITING) return;
      if (toldToday(use).networks >= limits.networksToldPerKey) return;
      known.set(pair, true);
      waiting.push({ use, client, pair });
      working ??= work().finally(() => (working = null));
    },
    close: async () => void (await working),
  };
}
