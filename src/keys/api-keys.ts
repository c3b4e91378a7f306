/**
 * The API keys that are valid now. Every API process follows the `team-` streams itself, so that a key that one node
 * makes or revokes takes effect on all nodes, whether a projector runs or not.
 */
import { START, type Position } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { KeyRole } from '../domain/team.js';
import { coalesce } from '../concurrency/coalesce.js';
import { openNotifier } from '../concurrency/notifier.js';
import { sleep } from '../concurrency/sleep.js';
import type { Batch, EventLog } from '../ports/event-log.js';

export type KeyEntry = {
  key_id: string;
  name: string;
  role: KeyRole;
  team_id: string;
  team_name: string;
};

export type ApiKeys = {
  /** The key with this SHA-256 (hex), as far as the events have been read. */
  known(hash: string): KeyEntry | null;
  /**
   * The key with this SHA-256 (hex), unless it is revoked. For an unknown one it reads the log up to its end, so that a
   * key works on every node as soon as it was answered. @throws LedgerError `log_unavailable`.
   */
  find(hash: string): Promise<KeyEntry | null>;
  /** Resolves when the events up to a position have been read, or after 2 s. */
  reached(position: Position): Promise<void>;
  close(): Promise<void>;
};

const WAIT_MS = 2_000;
const RETRY_MS = 500;
const teams = { streams: ['team-'] };

/** Reads all keys before it resolves. `report` gets each failure of the log. @throws LedgerError `log_unavailable`. */
export async function openApiKeys(log: EventLog, report: (error: unknown) => void): Promise<ApiKeys> {
  const index = keyIndex();
  let position = START;
  const stop = new AbortController();
  const moved = openNotifier();

  /** Takes batches of the follower and of other reads. Both advance without a gap: earlier events are applied already. */
  function advance({ events, position: to }: Batch): void {
    for (const event of events) if (event.position > position) index.apply(event as LedgerEvent);
    if (to > position) position = to;
    moved.notify();
  }

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const following = log.follow({ after: position, filter: teams, signal: stop.signal });
        for await (const batch of following) advance(batch);
      } catch (error) {
        // The log is unavailable: known keys stay valid, and the follower tries again.
        report(error);
        await sleep(RETRY_MS, stop.signal);
      }
    }
  }

  // The position of the follower may stay behind, since it skips the events of other streams silently: only a read up
  // to the end of the log shows that a key does not exist.
  const catchUp = coalesce(async () => {
    for (;;) {
      const batch = await log.readAll({ after: position, filter: teams });
      advance(batch);
      if (batch.caughtUp) return;
    }
  });

  await catchUp();
  const following = follow();

  return {
    known: index.get,
    async find(hash) {
      const known = index.get(hash);
      if (known !== null) return known;
      await catchUp();
      return index.get(hash);
    },
    reached: async (target) => void (await moved.until(() => position >= target, WAIT_MS, stop.signal)),
    async close() {
      stop.abort();
      await following;
    },
  };
}

/** The valid keys by their hash, folded from the events of all teams. */
function keyIndex(): { apply(event: LedgerEvent): void; get(hash: string): KeyEntry | null } {
  const names = new Map<string, string>();
  const keys = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  return {
    apply(event) {
      switch (event.type) {
        case 'TeamCreated':
          names.set(event.data.team_id, event.data.name);
          return;
        case 'KeyCreated': {
          const { key_id, name, role, hash } = event.data;
          const team_id = event.meta.team_id;
          keys.set(hash, { key_id, name, role, team_id, team_name: names.get(team_id) ?? '' });
          hashes.set(key_id, hash);
          return;
        }
        case 'KeyRevoked':
          keys.delete(hashes.get(event.data.key_id) ?? '');
          return;
        default:
          return;
      }
    },
    get: (hash) => keys.get(hash) ?? null,
  };
}
