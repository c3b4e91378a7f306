/**
 * The API keys that are valid now, and the members of teams. Every API process follows the `team-` streams itself, so that a key that one node
 * makes or revokes takes effect on all nodes, whether a projector runs or not.
 */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { upcast } from '../domain/event-versions.js';
import { START, type Instant, type Position, type RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { coalesce } from '../concurrency/coalesce.js';
import { openNotifier } from '../concurrency/notifier.js';
import { sleep } from '../concurrency/sleep.js';
import { fail, isAppError } from '../errors.js';
import { limits } from '../limits.js';
import type { Batch, EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import { openKeyIndex, type KeyEntry, type KeyOfTeam, type Membership, type Present } from './key-index.js';
import { readKeySnapshot, writeKeySnapshot } from './key-snapshot.js';

export type { KeyEntry, Membership, Present } from './key-index.js';

export type ApiKeys = {
  /**
   * The key with this SHA-256 (hex), as far as the events have been read. Null for one that has expired, and for every
   * key while the log could not be read for `limits.keysWithoutLogMs`: a revocation may have been missed.
   */
  known(hash: string): KeyEntry | null;
  /**
   * The key with this SHA-256 (hex), unless it is revoked. For one that is not known it reads the log up to its end, so
   * that a key works on every node as soon as it was answered. @throws AppError `key_expired`, `log_unavailable`.
   */
  find(hash: string): Promise<KeyEntry | null>;
  /**
   * A person with their teams and roles of now; null for one without a team. For such a one it reads the log up to its
   * end, so that a person can act on every node as soon as they have joined. @throws AppError `log_unavailable`.
   */
  person(id: string): Promise<Present | null>;
  /** The keys that expired after an instant and up to another one, as far as the events have been read. */
  expired(after: Instant, until: Instant): readonly KeyOfTeam[];
  /** The teams and roles of a person, as far as the events have been read. */
  membershipsOf(person: string): readonly Membership[];
  /** The teams that have revoked so many keys, or more: a fold of all that happened to theirs takes its time. */
  teamsThatRevoked(least: number): string[];
  /** Calls back soon after an event of any team was read: it may have taken rights away. */
  onTeamEvents(changed: () => void): void;
  /** Resolves when the events up to a position have been read, or after 2 s. */
  reached(position: Position): Promise<void>;
  close(): Promise<void>;
};

export type ApiKeysOptions = {
  /** Gets each failure of the log and of State. */
  report: (error: unknown) => void;
  /** For a snapshot of the keys, so that a start reads only the newest part of the log. */
  state: State;
  clock: Clock;
  /** In milliseconds: the age up to which keys are taken for valid, and the pause between two looks at the log. */
  staleAfter?: number;
  checkEvery?: number;
};

const WAIT_MS = 2_000;
const RETRY_MS = 500;
const CHECK_EVERY_MS = 5_000;
const SNAPSHOT_EVERY_MS = 600_000;
/** A start that read for longer than this writes a snapshot at once. */
const LONG_READ_MS = 1_000;
/** For this time an expired key is told from one that never was. */
const EXPIRED_KNOWN_MS = 90 * 86_400_000;
const teams = { streams: ['team-'] };

/**
 * Reads all keys before it resolves. `log` gives the events as they are stored, so that an event of a newer version stops
 * only one team. Long because the follower and the reads share the index and its position: each part is short.
 * @throws AppError `log_unavailable`.
 */
export async function openApiKeys(
  log: EventLog,
  { report, state, clock, staleAfter = limits.keysWithoutLogMs, checkEvery = CHECK_EVERY_MS }: ApiKeysOptions,
): Promise<ApiKeys> {
  const index = openKeyIndex();
  let position = START;
  /** When the read began that last reached the end of the log. */
  let readAt = -Infinity;
  /** When a read failed last. */
  let failedAt = -Infinity;
  const stop = new AbortController();
  const moved = openNotifier();
  const listeners = new Set<() => void>();

  /** An event of a newer version blocks the keys of its team, and those of no other team. */
  function apply(event: RecordedEvent): void {
    try {
      index.apply(upcast(event) as LedgerEvent);
    } catch (error) {
      if (!isAppError(error, 'unknown_event')) throw error;
      report(error);
      index.block(event.meta.team_id);
    }
  }

  /** Takes batches of the follower and of other reads. Both advance without a gap: earlier events are applied already. */
  function advance({ events, position: to }: Batch): void {
    const fresh = events.filter((event) => event.position > position);
    for (const event of fresh) apply(event);
    if (to > position) position = to;
    if (fresh.length > 0) for (const changed of listeners) changed();
    moved.notify();
  }

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const following = log.follow({ after: position, filter: teams, signal: stop.signal });
        for await (const batch of following) advance(batch);
      } catch (error) {
        // The log is unavailable: known keys stay valid for a while, and the follower tries again.
        report(error);
        await sleep(RETRY_MS, stop.signal);
      }
    }
  }

  // The position of the follower may stay behind, since it skips the events of other streams silently: only a read up
  // to the end of the log shows that a key does not exist, or that it is not revoked.
  const catchUp = coalesce(async () => {
    const began = performance.now();
    try {
      for (let caughtUp = false; !caughtUp;) {
        const batch = await log.readAll({ after: position, filter: teams });
        advance(batch);
        ({ caughtUp } = batch);
      }
      readAt = began;
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  });

  const isFresh = () => performance.now() - readAt <= staleAfter;
  const hasExpired = ({ expires_at }: KeyEntry) => expires_at !== null && expires_at <= instant(clock);
  const present = (hash: string) => {
    const entry = isFresh() ? index.get(hash) : null;
    return entry !== null && index.isBlocked(entry.team_id) ? null : entry;
  };
  const known = (hash: string) => {
    const entry = present(hash);
    return entry !== null && hasExpired(entry) ? null : entry;
  };

  async function readOn(): Promise<void> {
    // Without this, each request would wait for seconds for a log that is away.
    if (!isFresh() && performance.now() - failedAt < checkEvery) {
      fail('log_unavailable', 'The event log is away, so revoked keys are not known here.', {
        retryAfter: 5,
      });
    }
    await catchUp();
  }

  async function find(hash: string): Promise<KeyEntry | null> {
    const entry = present(hash) ?? (await readAndFind(hash));
    if (entry !== null && hasExpired(entry))
      fail('key_expired', `The API key has expired at ${entry.expires_at}.`);
    return entry;
  }

  async function readAndFind(hash: string): Promise<KeyEntry | null> {
    await readOn();
    const found = index.get(hash);
    if (found !== null && index.isBlocked(found.team_id)) {
      fail('unknown_event', 'The event log holds an event of this team that only a newer version can read.', {
        retryAfter: 60,
      });
    }
    return found;
  }

  async function person(id: string): Promise<Present | null> {
    const present = isFresh() ? index.person(id) : null;
    if (present !== null) return present;
    await readOn();
    return index.person(id);
  }

  let snapshotAt: Position = START;
  async function snapshot(): Promise<void> {
    // From this snapshot, a newer program would start after an event that this one could not read.
    if (position === snapshotAt || index.hasBlocked()) return;
    await catchUp();
    index.dropExpired(addMilliseconds(instant(clock), -EXPIRED_KNOWN_MS));
    const taken = { position, content: index.content() };
    await writeKeySnapshot({ state, log }, taken, { now: instant(clock), every: SNAPSHOT_EVERY_MS / 2 });
    snapshotAt = taken.position;
  }

  const former = await readKeySnapshot({ state, log }).catch((error: unknown) => {
    report(error);
    return null;
  });
  if (former !== null) {
    index.restore(former.content);
    position = snapshotAt = former.position;
  }
  const began = performance.now();
  await catchUp();
  let saving = performance.now() - began > LONG_READ_MS ? snapshot().catch(report) : Promise.resolve();
  const following = follow();
  // The follower reports the failures of the log.
  const checks = setInterval(() => void catchUp().catch(() => undefined), checkEvery).unref();
  const snapshots = setInterval(() => void (saving = snapshot().catch(report)), SNAPSHOT_EVERY_MS).unref();

  return {
    known,
    find,
    person,
    expired: index.expired,
    membershipsOf: (id) => index.person(id)?.memberships ?? [],
    teamsThatRevoked: index.teamsThatRevoked,
    onTeamEvents: (changed) => void listeners.add(changed),
    reached: async (target) => void (await moved.until(() => position >= target, WAIT_MS, stop.signal)),
    async close() {
      clearInterval(checks);
      clearInterval(snapshots);
      stop.abort();
      await Promise.all([following, saving]);
    },
  };
}
