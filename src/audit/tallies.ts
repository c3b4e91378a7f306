/**
 * Acts that strangers or builds can repeat at will: each is told at its first time in an hour, and its count when the hour
 * is over. All processes add to the counts, which are in State meanwhile.
 */
import { instant, type Clock } from '../clock.js';
import type { State } from '../ports/state.js';
import type { Act, Audit, Sender } from './audit.js';

export type Tallies = {
  /** Counts an act. Returns at once; it is told and counted behind. */
  count(teams: readonly string[], act: Act, sender: Sender): void;
  /** Tells the counts of the hours that are over. @throws AppError `state_unavailable`, `log_unavailable` */
  tellCounts(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

type Parts = { audit: Audit; state: State; clock: Clock; report: (error: unknown) => void };

type Counted = { team: string; once: string; count: number };

const KIND = 'audit-count';
const [HOUR_MS, WRITE_EVERY_MS] = [3_600_000, 5_000];
/** The other processes have written their counts this long after the hour. */
const GRACE_MS = 60_000;
const AT_ONCE = 100;

export function openTallies({ audit, state, clock, report }: Parts): Tallies {
  /** By their key in State. */
  let unwritten = new Map<string, Counted>();
  /** What this process has told in this hour. */
  let told = new Set<string>();
  let toldIn = '';
  const telling = new Set<Promise<void>>();

  const startOf = (at: number) => new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();

  function tellOnce(team: string, { act, sender, hour, once }: { act: Act; sender: Sender } & Named): void {
    if (toldIn !== hour) [told, toldIn] = [new Set(), hour];
    if (told.has(`${team} ${once}`)) return;
    told.add(`${team} ${once}`);
    const details = { ...act.details, hour, count: 1 };
    const work = audit.tell([team], { ...act, details }, sender, once);
    telling.add(work);
    void work.finally(() => telling.delete(work));
  }

  async function add(key: string, { count, ...rest }: Counted): Promise<void> {
    for (;;) {
      const entry = await state.get<Counted>(KIND, key);
      const value = { ...rest, count: count + (entry?.value.count ?? 0) };
      if ((await state.put(KIND, key, value, { expected: entry?.version ?? 'absent' })) !== null) return;
    }
  }

  async function write(): Promise<void> {
    const batch = unwritten;
    unwritten = new Map();
    for (const [key, counted] of batch) {
      try {
        await add(key, counted);
        batch.delete(key);
      } catch (error) {
        report(error);
        // What was counted meanwhile comes on top.
        for (const [later, more] of unwritten)
          batch.set(later, { ...more, count: more.count + (batch.get(later)?.count ?? 0) });
        unwritten = batch;
        return;
      }
    }
  }

  let writing: Promise<void> | null = null;
  const timer = setInterval(
    () => void (writing ??= write().finally(() => (writing = null))),
    WRITE_EVERY_MS,
  ).unref();

  return {
    count(teams, act, sender) {
      const hour = startOf(clock().getTime());
      const once = `${act.act} ${act.subject.id} ${hour}`;
      for (const team of teams) {
        const key = `${hour}/${team}/${act.act}/${act.subject.id}`;
        unwritten.set(key, { team, once, count: (unwritten.get(key)?.count ?? 0) + 1 });
        tellOnce(team, { act, sender, hour, once });
      }
    },
    async tellCounts(signal) {
      const over = startOf(Date.parse(instant(clock)) - GRACE_MS);
      while (!signal.aborted) {
        const entries = await state.list<Counted>(KIND, { limit: AT_ONCE });
        // The keys begin with the hour.
        const due = entries.filter(({ key }) => key < over);
        for (const { key, value, version } of due) {
          if (value.count > 1) await audit.recordCount(value.team, value.once, value.count);
          await state.remove(KIND, key, version);
        }
        if (due.length < AT_ONCE) return;
      }
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write();
      await Promise.all(telling);
    },
  };
}

type Named = { hour: string; once: string };
