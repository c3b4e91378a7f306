/**
 * The history of a test by the rules, with all its entries and nothing packed. The packed history is compared with it.
 */
import { bulkOriginOf } from '../../src/domain/ids.js';
import type { TestEntry, Transition } from '../../src/domain/test-history/test-history.js';
import { statusWords } from '../../src/domain/result.js';

export type Model = {
  state: 'stable' | 'flaky';
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
  if (byCommit || byAttempt) {
    const rule = byCommit ? 'same_commit' : 'later_attempt';
    const evidence = [(byCommit ? sameCommit : sameRun!).result_id, entry.result_id];
    if (model.state === 'stable') transitions.push({ type: 'TestBecameFlaky', rule, evidence });
    return { model: { ...next, state: 'flaky', calm: 0 }, transitions };
  }
  if (model.state === 'stable') return { model: next, transitions };
  if (model.calm < 19) return { model: { ...next, calm: model.calm + 1 }, transitions };
  return {
    model: { ...next, state: 'stable', calm: 0 },
    transitions: [...transitions, { type: 'TestStabilised' }],
  };
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

/** Items are known by their submission, which has the id of the run if the run has no key. */
function isOfSameRun(other: TestEntry, one: TestEntry): boolean {
  if (one.run_id === null) return false;
  const submission = bulkOriginOf(other.result_id)?.submission_id;
  if (submission === undefined) return other.run_id === one.run_id;
  return submission === (bulkOriginOf(one.result_id)?.submission_id ?? one.run_id);
}
