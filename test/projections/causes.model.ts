/**
 * How causes stand, computed without lists of what is due: after each event, every cause is looked at. Written from the
 * contract: docs/api.md, section 10.
 */
import type { LedgerEvent } from '../../src/domain/events.js';
import { othersOf } from '../../src/domain/supersession.js';
import { failingAmong, happen, isSame, type Failing, type ModelResult } from './failures.model.js';

/** What happened to a cause, in the order of the log. */
type Step =
  | { kind: 'failed'; at: number; result: string; run: string | null; by: LedgerEvent }
  | { kind: 'run ended'; at: number; run: string; by: LedgerEvent }
  | { kind: 'said'; at: number; state: 'open' | 'fixed' };

type Transition = { type: string; data: object; cause: string };

export type ModelCause = {
  state: string;
  since: string;
  last_failed_at: string;
  longest_away_ms: number;
  owner: string | null;
  note: string | null;
  ticket: string | null;
  transitions: Transition[];
  tests: Record<string, number>;
  known: string[];
};

const THREE_DAYS = 3 * 24 * 3_600_000;

/** By the ids of project and group. */
export function causesOf(events: readonly LedgerEvent[]): Map<string, ModelCause> {
  const results = new Map<string, ModelResult>();
  const steps = new Map<string, Step[]>();
  const said = new Map<string, Record<'owner' | 'note' | 'ticket', string | null>>();
  const known = new Map<string, string>();
  let failing: Failing[] = [];
  for (const event of events) {
    const before = failing;
    happen(results, event);
    failing = failingAmong(results);
    const recorded = Date.parse(event.meta.at);
    for (const one of inOrder(event, failing)) {
      if (before.some((other) => isSame(one, other))) continue;
      const id = `${one.project_id}#${one.group}`;
      const at = Math.min(Date.parse(one.at), recorded);
      const step: Step = { kind: 'failed', at, result: one.result_id, run: one.run_id, by: event };
      steps.set(id, [...(steps.get(id) ?? []), step]);
      if (!said.has(id)) said.set(id, { owner: null, note: null, ticket: null });
    }
    switch (event.type) {
      case 'RunCompleted': {
        const { project_id, run_id, finished_at } = event.data;
        const at = Math.min(Date.parse(finished_at), recorded);
        for (const [id, own] of steps)
          if (id.startsWith(project_id)) own.push({ kind: 'run ended', at, run: run_id, by: event });
        break;
      }
      case 'CauseChanged': {
        const { project_id, group, state, ...named } = event.data;
        const id = `${project_id}#${group}`;
        if (!steps.has(id)) break;
        said.set(id, { ...said.get(id)!, ...named });
        if (state !== undefined) steps.get(id)!.push({ kind: 'said', at: recorded, state });
        break;
      }
      case 'KnownFailureSet': {
        const { test_id, project_id, group } = event.data;
        known.delete(test_id);
        if (group !== undefined && steps.has(`${project_id}#${group}`))
          known.set(test_id, `${project_id}#${group}`);
        break;
      }
      case 'KnownFailureEnded':
        known.delete(event.data.test_id);
        break;
      default:
    }
  }
  return new Map(
    [...steps].map(([id, own]) => {
      const ofCause = failing.filter(({ project_id, group }) => `${project_id}#${group}` === id);
      const tests = count(ofCause.map(({ test_id }) => test_id));
      const through = [...known].flatMap(([test, cause]) => (cause === id ? [test] : []));
      return [id, { ...walked(id, own), ...said.get(id)!, tests, known: through.sort() }];
    }),
  );
}

/** Results that count again come before the event's own. */
function inOrder(event: LedgerEvent, failing: readonly Failing[]): Failing[] {
  const others = othersOf(event);
  const restored = others.flatMap((id) => failing.find(({ result_id }) => result_id === id) ?? []);
  return [...restored, ...failing.filter(({ result_id }) => !others.includes(result_id))];
}

function walked(id: string, steps: readonly Step[]) {
  const [project_id, group] = id.split('#') as [string, string];
  let [state, since] = ['none', 0];
  const times: number[] = [];
  const transitions: Transition[] = [];
  const awayLongest = () => Math.max(0, ...times.slice(1).map((time, n) => time - times[n]!));
  const text = (at: number) => new Date(at).toISOString();
  for (const step of steps) {
    const last = times.at(-1);
    if (step.kind === 'said') {
      if (state !== step.state) [state, since] = [step.state, step.at];
    } else if (step.kind === 'failed') {
      if (last !== undefined && step.at <= last) continue;
      times.push(step.at);
      if (state === 'none') {
        [state, since] = ['open', step.at];
        const data = { group, project_id, run_id: step.run, result_id: step.result };
        transitions.push({ type: 'GroupAppeared', data, cause: step.by.id });
      }
      if (state !== 'fixed' || step.at <= since) continue;
      const data = { group, project_id, run_id: step.run, result_id: step.result, fixed_at: text(since) };
      transitions.push({ type: 'CauseCameBack', data, cause: step.by.id });
      [state, since] = ['came_back', step.at];
    } else {
      const isWatched = state === 'open' && step.at <= since + THREE_DAYS;
      if (state === 'fixed' || isWatched) continue;
      if (step.at - last! <= Math.max(awayLongest(), THREE_DAYS)) continue;
      const data = { group, project_id, run_id: step.run, last_failed_at: text(last!) };
      transitions.push({ type: 'CauseFixed', data, cause: step.by.id });
      [state, since] = ['fixed', step.at];
    }
  }
  const standing = { state, since: text(since), last_failed_at: text(times.at(-1)!) };
  return { ...standing, longest_away_ms: awayLongest(), transitions };
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
