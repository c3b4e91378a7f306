/**
 * Who a key is: every API process follows the `team-` streams itself, so that a key made or revoked on one node
 * acts on all, whether a projector runs or not.
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
  /** The key with this SHA-256 (hex), if it is known by now. */
  known(hash: string): KeyEntry | null;
  /**
   * The key with this SHA-256 (hex), unless it is revoked. For one that is not known yet the log is read up to its
   * end, so that a key works everywhere as soon as it was answered. @throws LedgerError `log_unavailable`.
   */
  find(hash: string): Promise<KeyEntry | null>;
  /** Resolves once the directory has read up to a position, or after 2 s. */
  reached(position: Position): Promise<void>;
  close(): Promise<void>;
};

const WAIT_MS = 2_000;
const teams = { streams: ['team-'] };

export async function openApiKeys(log: EventLog, report: (error: unknown) => void): Promise<ApiKeys> {
  const names = new Map<string, string>();
  const keys = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  let position = START;
  const stop = new AbortController();
  const moved = openNotifier();

  /** Of the follower and of reads beside it: both go forward without a gap, so what lies behind is applied already. */
  function advance({ events, position: to }: Batch): void {
    for (const event of events) if (event.position > position) apply(event as LedgerEvent);
    if (to > position) position = to;
    moved.notify();
  }

  function apply(event: LedgerEvent): void {
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
  }

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const following = log.follow({ after: position, filter: teams, signal: stop.signal });
        for await (const batch of following) advance(batch);
      } catch (error) {
        // The log is away: what is known stays in force, and the follower comes back.
        report(error);
        await sleep(500, stop.signal);
      }
    }
  }

  // A follower may pass over other streams' events without a word: how far it has come does not tell what is missing.
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
    known: (hash) => keys.get(hash) ?? null,
    async find(hash) {
      const known = keys.get(hash);
      if (known !== undefined) return known;
      await catchUp();
      return keys.get(hash) ?? null;
    },
    reached: async (target) => void (await moved.until(() => position >= target, WAIT_MS, stop.signal)),
    async close() {
      stop.abort();
      await following;
    },
  };
}
