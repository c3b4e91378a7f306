/**
 * Who a key is: every API process follows the `team-` streams itself, so that a key made or revoked on one node
 * acts on all, whether a projector runs or not.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { START, type Position } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Role } from '../domain/team.js';
import type { EventLog } from './ports.js';

export type KeyEntry = {
  key_id: string;
  name: string;
  role: Role;
  team_id: string;
  team_name: string;
};

export type Directory = {
  /** The key with this SHA-256 (hex), if it is known by now. */
  known(hash: string): KeyEntry | null;
  /** The key with this SHA-256 (hex), unless it is revoked. One that is not known yet waits as a GET does. */
  find(hash: string): Promise<KeyEntry | null>;
  /** Resolves once the directory has read up to a position, or after 2 s. */
  reached(position: Position): Promise<void>;
  close(): Promise<void>;
};

const WAIT_MS = 2_000;

export async function openDirectory(log: EventLog, report: (error: unknown) => void): Promise<Directory> {
  const names = new Map<string, string>();
  const keys = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  let position = START;
  const stop = new AbortController();
  const waiting = new Set<() => void>();

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
        const filter = { streams: ['team-'] };
        for await (const batch of log.follow({ after: position, filter, signal: stop.signal })) {
          for (const event of batch.events) apply(event as LedgerEvent);
          position = batch.position;
          for (const wake of waiting) wake();
        }
      } catch (error) {
        // The log is away: what is known stays in force, and the follower comes back.
        report(error);
        await pause(500, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async function reached(target: Position): Promise<void> {
    if (position >= target) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        waiting.delete(check);
        clearTimeout(timer);
        resolve();
      };
      const check = () => {
        if (position >= target) done();
      };
      const timer = setTimeout(done, WAIT_MS);
      waiting.add(check);
    });
  }

  const following = follow();
  await reached(await log.head());

  return {
    known: (hash) => keys.get(hash) ?? null,
    async find(hash) {
      const known = keys.get(hash);
      if (known !== undefined) return known;
      await reached(await log.head());
      return keys.get(hash) ?? null;
    },
    reached,
    async close() {
      stop.abort();
      await following;
    },
  };
}
