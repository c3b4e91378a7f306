/**
 * What is said of groups and of the default branch, found without folding: at each event, the whole history before it is walked
 * through. Written from the contract: docs/api.md, section 5.1.
 */
import { environmentKeyIn } from '../../../src/domain/environment.js';
import type { FollowedEvent, LedgerEvent } from '../../../src/domain/events.js';
import { othersOf } from '../../../src/domain/supersession.js';
import { eventIdOf, transitionId } from '../../../src/domain/test-history/test.js';
import { failingAmong, happen, type ModelResult } from '../../projections/failures.model.js';
import { isKnown } from './expected-records.js';
import { defaultBranchOf, isIncomplete } from './expected-verdicts.js';

export type News = { type: string; event_id: string; subject: string; at: string };

/** A run of the default branch, as it was at one of its completions. `fails`: somebody has to look at it. */
type Snapshot = {
  by: LedgerEvent<'RunCompleted'>;
  created: string;
  track: string;
  isComplete: boolean;
  fails: boolean;
  tests: Map<string, { ran: boolean; groups: Set<string> }>;
};

export function expectedNews(events: readonly LedgerEvent[]): News[] {
  const results = new Map<string, ModelResult>();
  const known = new Map<string, boolean>();
  const seen = new Set<string>();
  const snapshots: Snapshot[] = [];
  const news: News[] = [];
  events.forEach((event, n) => {
    const until = events.slice(0, n + 1);
    const { id, meta } = event;
    const follows = (type: string, subject: string, fact: FollowedEvent) =>
      news.push({ type, event_id: eventIdOf(transitionId(subject, id, fact)), subject, at: meta.at });

    const finals = new Map([...results].map(([key, { final }]) => [key, final]));
    happen(results, event);
    for (const [key, { final, test_id }] of results) {
      if (final === null || final === finals.get(key)) continue;
      const { branch, environment } = final;
      known.set(key, isKnown(until, { test_id, branch, environment, at: meta.at }));
    }
    for (const { group } of restoredFirst(event, results)) {
      if (seen.has(group)) continue;
      seen.add(group);
      follows('group.new', group, 'GroupAppeared');
    }
    if (event.type !== 'RunCompleted') return;
    const { run_id, project_id } = event.data;
    if (lacksShards(run_id, until)) follows('run.incomplete', run_id, 'RunFoundIncomplete');
    const snapshot = snapshotOf(event, until, { results, known });
    if (snapshot === null) return;
    snapshots.push(snapshot);
    const own = snapshots.filter(({ by }) => by.data.project_id === project_id);
    for (const group of new Set(own.flatMap(groupsIn))) {
      const last = turnsOf(group, own).at(-1);
      if (last?.by !== event) continue;
      if (last.to === 'gone') follows('group.gone', group, 'GroupWentAway');
      else follows('group.back', group, 'GroupReturned');
    }
    const colour = coloursOf(own, snapshot.track).at(-1);
    if (colour?.by !== event) return;
    if (colour.to === 'red') follows('main.red', project_id, 'MainTurnedRed');
    else follows('main.green', project_id, 'MainTurnedGreen');
  });
  return news;
}

/** Results that count again come before the event's own. */
function restoredFirst(event: LedgerEvent, results: ReadonlyMap<string, ModelResult>) {
  const others = othersOf(event);
  const failing = failingAmong(results);
  const isOther = ({ result_id }: { result_id: string }) => others.includes(result_id);
  return [...failing.filter(isOther), ...failing.filter((one) => !isOther(one))];
}

function lacksShards(run: string, until: readonly LedgerEvent[]): boolean {
  const shards = until.flatMap(({ type, data }) =>
    type === 'ItemsSubmitted' && data.run_id === run && data.shard !== null ? [data.shard] : [],
  );
  return shards[0] !== undefined && new Set(shards.map(({ index }) => index)).size < shards[0].total;
}

/** Null for a run of another branch. */
function snapshotOf(
  by: LedgerEvent<'RunCompleted'>,
  until: readonly LedgerEvent[],
  { results, known }: { results: ReadonlyMap<string, ModelResult>; known: ReadonlyMap<string, boolean> },
): Snapshot | null {
  const { run_id, project_id } = by.data;
  const told = until.filter(
    (one): one is LedgerEvent<'RunCreated' | 'RunDescribed'> =>
      (one.type === 'RunCreated' || one.type === 'RunDescribed') && one.data.run_id === run_id,
  );
  const metadata = told.findLast(({ data }) => data.metadata !== undefined)?.data.metadata ?? null;
  if (metadata?.['branch'] !== defaultBranchOf(until, project_id)) return null;
  const track = JSON.stringify([metadata['tool'] ?? null, environmentKeyIn(metadata)]);
  const tests: Snapshot['tests'] = new Map();
  let fails = false;
  for (const result of results.values()) {
    const { id, status, final, superseded_by, test_id, group } = result;
    if (result.run_id !== run_id || final === null || superseded_by !== null) continue;
    if (status === 'Pending' || status === 'Running') continue;
    const line = `${test_id} ${final.environment}`;
    const test = tests.get(line) ?? { ran: false, groups: new Set() };
    tests.set(line, test);
    if (status !== 'Skipped') test.ran = true;
    if (status === 'Failed') test.groups.add(group!);
    if (status === 'Failed' && known.get(id) !== true) fails = true;
  }
  const created = told[0]!.position;
  return { by, created, track, isComplete: !isIncomplete(run_id, until), fails, tests };
}

function groupsIn({ tests }: Snapshot): string[] {
  return [...tests.values()].flatMap(({ groups }) => [...groups]);
}

/** Without the runs that are older than a complete one of their track. */
function inTime(snapshots: readonly Snapshot[]): Snapshot[] {
  return snapshots.filter(
    (one, n) =>
      !snapshots
        .slice(0, n)
        .some((other) => other.isComplete && other.track === one.track && other.created > one.created),
  );
}

function turnsOf(group: string, snapshots: readonly Snapshot[]) {
  const turns: { by: LedgerEvent; to: 'gone' | 'back' }[] = [];
  let state: 'unseen' | 'open' | 'gone' = 'unseen';
  /** By track: the tests that failed with it since it was gone, and the last run that says something of them. */
  let failed = new Map<string, { tests: Set<string>; last: Snapshot }>();
  for (const one of inTime(snapshots)) {
    const failing = [...one.tests].filter(([, { groups }]) => groups.has(group)).map(([line]) => line);
    const before = failed.get(one.track);
    if (failing.length > 0) {
      failed.set(one.track, { tests: new Set([...(before?.tests ?? []), ...failing]), last: one });
      if (state === 'gone') turns.push({ by: one.by, to: 'back' });
      state = 'open';
    } else if (before !== undefined && one.isComplete) {
      failed.set(one.track, { ...before, last: one });
    }
    const isClear = [...failed.values()].every(({ tests, last }) =>
      [...tests].every((line) => {
        const test = last.tests.get(line);
        return last.isComplete && test !== undefined && test.ran && !test.groups.has(group);
      }),
    );
    if (state !== 'open' || !isClear) continue;
    turns.push({ by: one.by, to: 'gone' });
    state = 'gone';
    failed = new Map();
  }
  return turns;
}

function coloursOf(snapshots: readonly Snapshot[], track: string) {
  const colours: { by: LedgerEvent; to: 'red' | 'green' }[] = [];
  for (const { by, fails, isComplete, tests } of inTime(snapshots).filter((one) => one.track === track)) {
    const isRed = colours.at(-1)?.to === 'red';
    const isGreen = !fails && isComplete && [...tests.values()].some(({ ran }) => ran);
    if (fails && !isRed) colours.push({ by, to: 'red' });
    if (isGreen && isRed) colours.push({ by, to: 'green' });
  }
  return colours;
}
