/**
 * Tells the audit of a team what no other event tells. Each act is a stream of its own, which the log begins once: an act
 * that several processes tell, or that is told again after a crash, is there once.
 */
import { v5 } from 'uuid';
import { instant, type Clock } from '../clock.js';
import { newIds } from '../commands/ids.js';
import type { ActType, Details } from '../domain/audit/acts.js';
import type { StoredClient, Subject } from '../domain/audit/told-events.js';
import { streamName, type NewEvent } from '../domain/event.js';
import { eventVersions, type EventData } from '../domain/events.js';
import { eventIdOf } from '../domain/test-history/test.js';
import { isAppError } from '../errors.js';
import type { EventLog } from '../ports/event-log.js';

export type Act = { act: ActType; subject: Subject; details?: Details };

/** The context of a command is one. `client`: where the act was done from, as it is stored; null where it is not known. */
export type Sender = { actor: string; correlationId: string; client?: () => Promise<StoredClient | null> };

export type Audit = {
  /**
   * Tells an act in each of the teams, and resolves once the logs have it. It never throws: while the log is away the act
   * waits in memory, and a fault is reported. `once`: what tells this act from all others, where it may be told again.
   */
  tell(teams: readonly string[], act: Act, sender: Sender, once?: string): Promise<void>;
  /** The same in one team. False where it was told before. @throws AppError `log_unavailable` */
  record(team: string, act: Act, sender: Sender, once?: string): Promise<boolean>;
  /** Brings the count of an act up to date that was told `once`. @throws AppError `log_unavailable` */
  recordCount(team: string, once: string, count: number): Promise<void>;
  close(): Promise<void>;
};

type Parts = {
  log: Pick<EventLog, 'append'>;
  clock: Clock;
  report: (error: unknown) => void;
};

const NAMESPACE = 'c4b1d0a8-52f4-4c0f-9a63-3f0f6a4a1f5e';
const RETRY_EVERY_MS = 5_000;
const MOST_WAITING = 1_000;

export function openAudit({ log, clock, report }: Parts): Audit {
  const waiting = openWaiting(report);

  async function append(team: string, id: string, expected: 'none' | 0, event: NewEvent): Promise<boolean> {
    try {
      await log.append(streamName('audit', team, eventIdOf(id)), expected, [event]);
      return true;
    } catch (error) {
      if (isAppError(error, 'wrong_revision')) return false;
      throw error;
    }
  }

  async function eventOf(team: string, act: Act, sender: Sender, id: string): Promise<NewEvent> {
    const { actor, correlationId } = sender;
    const at = instant(clock);
    const client = await sender.client?.();
    const data: EventData['ActRecorded'] = {
      act: act.act,
      subject: { ...act.subject },
      details: { ...act.details },
    };
    const meta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
    return {
      id,
      type: 'ActRecorded',
      version: eventVersions.ActRecorded,
      data,
      meta: { ...meta, ...(client && { facts: { client } }) },
    };
  }

  async function tellIn(team: string, act: Act, sender: Sender, once: string | undefined): Promise<void> {
    const id = idOf(team, once);
    // The same event at each attempt: it is told once, whatever became of the first one.
    const event = await eventOf(team, act, sender, id);
    await waiting.run(() => append(team, id, 'none', event));
  }

  return {
    async tell(teams, act, sender, once) {
      await Promise.all(teams.map((team) => tellIn(team, act, sender, once).catch(report)));
    },
    async record(team, act, sender, once) {
      const id = idOf(team, once);
      return append(team, id, 'none', await eventOf(team, act, sender, id));
    },
    async recordCount(team, once, count) {
      const id = idOf(team, once);
      const entry_id = eventIdOf(id);
      const meta = { team_id: team, actor: 'system', at: instant(clock), causation_id: null };
      await append(team, id, 0, {
        id: newIds.event('', 0),
        type: 'ActCounted',
        version: eventVersions.ActCounted,
        data: { entry_id, count } satisfies EventData['ActCounted'],
        meta: { ...meta, correlation_id: entry_id },
      });
    },
    close: waiting.close,
  };
}

function idOf(team: string, once: string | undefined): string {
  return once === undefined ? newIds.event('', 0) : v5(`${team} ${once}`, NAMESPACE);
}

/** Work that is tried again while the log is away, in its order. */
function openWaiting(report: (error: unknown) => void) {
  type Work = () => Promise<unknown>;
  let waiting: Work[] = [];

  async function retry(): Promise<void> {
    const works = waiting;
    waiting = [];
    for (const [n, work] of works.entries()) {
      try {
        await work();
      } catch (error) {
        report(error);
        // Each other one would fail too.
        waiting = [...works.slice(n), ...waiting];
        return;
      }
    }
  }

  let retrying: Promise<void> | null = null;
  const timer = setInterval(
    () => void (retrying ??= retry().finally(() => (retrying = null))),
    RETRY_EVERY_MS,
  ).unref();

  return {
    async run(work: Work): Promise<void> {
      try {
        await work();
      } catch (error) {
        report(error);
        if (waiting.length < MOST_WAITING) waiting.push(work);
        else report(new Error('the audit lacks an act: too many wait for the log'));
      }
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await retrying;
      await retry();
    },
  };
}
