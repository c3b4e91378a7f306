/**
 * The history of a test by the rules, with all its entries and nothing packed. The packed history is compared with it.
 */
import type { TestEntry } from '../../../src/domain/test-history/test-entry.js';
import type { Transition } from '../../../src/domain/test-history/test-history.js';
import { statusWords } from '../../../src/domain/results/result.js';

export type Model = {
  state: 'stable' | 'flaky' | 'broken';
  calm: number;
  /** Oldest first. */
  entries: readonly TestEntry[];
};

export const emptyModel: Model = { state: 'stable', calm: 0, entries: [] };

const isVerdict = ({ status }: TestEntry) => status === 'Passed' || status === 'Failed';

export function modelWith(model: Model, entry: TestEntry): { model: Model; transitions: Transition[] } {
  const others = modelWithout(model, entry.result_id).entries;
  const next = { ...model, entries: [...others, entry] };
  if (!isVerdict(entry) || entry.again) return { model: next, transitions: [] };

  const newestFirst = others.filter(isVerdict).toReversed();
  const transitions: Transition[] = [];
  const candidates = newestFirst.slice(0, 49).filter(({ again }) => !again);
  const sameCommit = candidates.find(({ commit }) => commit !== null && commit === entry.commit);
  const sameRun = candidates.find((other) => isOfSameRun(other, entry) && other.attempt < entry.attempt);
  const byCommit = sameCommit !== undefined && sameCommit.status !== entry.status;
  const byAttempt = entry.status === 'Passed' && sameRun?.status === 'Failed';
  // Only a failure makes a test broken.
  const isBroken =
    failingRuns([entry, ...newestFirst]) >= 20 && (entry.status === 'Failed' || model.state === 'broken');
  const evidence = byCommit || byAttempt;
  const staysFlaky = model.state === 'flaky' && model.calm < 19;
  const state = isBroken ? 'broken' : evidence || staysFlaky ? 'flaky' : 'stable';
  if (state !== model.state) {
    if (state === 'stable') transitions.push({ type: 'TestStabilised' });
    if (state === 'broken') transitions.push({ type: 'TestBecameBroken' });
    if (state === 'flaky') {
      const rule = byCommit ? 'same_commit' : 'later_attempt';
      const ids = [(byCommit ? sameCommit : sameRun!).result_id, entry.result_id];
      transitions.push({ type: 'TestBecameFlaky', rule, evidence: ids });
    }
  }
  const calm = state === 'flaky' && !evidence ? model.calm + 1 : 0;
  return { model: { ...next, state, calm }, transitions };
}

/** The runs in a row, the newest first, whose last attempt failed. Of a correction, the attempt is not known. */
function failingRuns(newestFirst: readonly TestEntry[]): number {
  const runs: TestEntry[][] = [];
  for (const entry of newestFirst) {
    const own = runs.find(([first]) => first!.run_id !== null && first!.run_id === entry.run_id);
    if (own === undefined) runs.push([entry]);
    else own.push(entry);
  }
  const decided = runs.map((own) =>
    own.reduce((last, one) => (!last.again && !one.again && one.attempt > last.attempt ? one : last)),
  );
  const firstPass = decided.findIndex(({ status }) => status === 'Passed');
  return firstPass === -1 ? decided.length : firstPass;
}

export function modelWithout(model: Model, resultId: string): Model {
  return { ...model, entries: model.entries.filter(({ result_id }) => result_id !== resultId) };
}

export function modelOutcomes({ entries }: Model): string[] {
  return entries
    .toReversed()
    .slice(0, 20)
    .map(({ status }) => statusWords[status]);
}

export function modelRate({ entries }: Model): number {
  const last = entries.slice(-50);
  return last.length === 0 ? 0 : last.filter(({ status }) => status === 'Failed').length / last.length;
}

function isOfSameRun(other: TestEntry, one: TestEntry): boolean {
  return one.run_id !== null && other.run_id === one.run_id;
}
