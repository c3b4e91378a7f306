import { expect } from 'chai';
import {
  branchId,
  testHistories,
  type BranchDocument,
  type EntryDocument,
  type TestDocument,
  type TransitionsDocument,
} from '../../projections/test-histories.js';
import type { EnrichedEvent, ResultChange } from '../../src/domain/test-history/enriched-event.js';
import type { Collection, CollectionSpec, Documents } from '../../src/domain/projection.js';
import type { TestEntry, Transition } from '../../src/domain/test-history/test-history.js';
import { itemId } from '../../src/domain/ids.js';
import { idOf } from '../domain/ids.js';
import { deleted, entry, failed, passed, type Step } from '../domain/test-history.given.js';

const main = { branch: 'main' };
const again = { again: true };
const test_id = idOf('test');
const project_id = idOf('project');

/** Folds the steps one after another, each as an enriched event. */
function folding(...steps: readonly Step[]) {
  const texts = new Map<string, string>();
  const branches = new Map<string, string | null>();
  let position = 0;

  function next(step: Step): Transition[] {
    const placed: TestEntry | null = 'deleted' in step ? null : step;
    const id = 'deleted' in step ? step.deleted : step.result_id;
    const former = branches.has(id) ? { branch: branches.get(id)! } : null;
    if (placed === null) branches.delete(id);
    else branches.set(id, placed.branch);
    position += 1;
    const context = {
      test_id,
      result: { test_result_id: id, project_id, test_name: 'pays' },
      entry: placed,
      former,
    } as ResultChange;
    const event = {
      id: `event_${position}`,
      type: placed === null ? 'ResultDeleted' : 'ResultUpdated',
      position: String(position).padStart(20, '0'),
      data: { result_id: id, run_id: null, retry_of: null },
      meta: { team_id: idOf('team'), at: atOf(position) },
      context,
    } as EnrichedEvent;
    const touched = new Set(testHistories.touches(event).map((ref) => `${ref.collection}/${ref.id}`));
    const mustTouch = (name: string) => expect([...touched]).to.include(name);
    const documents: Documents = {
      get<T extends object>({ name: collection }: Collection<T>, key: string) {
        mustTouch(`${collection}/${key}`);
        const text = texts.get(`${collection}/${key}`);
        return text === undefined ? null : (JSON.parse(text) as T);
      },
      put({ name: collection }: CollectionSpec, key, document) {
        mustTouch(`${collection}/${key}`);
        texts.set(`${collection}/${key}`, JSON.stringify(document));
      },
      remove({ name: collection }: CollectionSpec, key) {
        mustTouch(`${collection}/${key}`);
        texts.delete(`${collection}/${key}`);
      },
      add(named, key) {
        throw new Error(`unexpected: ${named.name}/${key}`);
      },
    };
    testHistories.apply(documents, event);
    return [...(read<TransitionsDocument>('transitions', event.id)?.transitions ?? [])];
  }

  const read = <T>(collection: string, id: string): T | null => {
    const text = texts.get(`${collection}/${id}`);
    return text === undefined ? null : (JSON.parse(text) as T);
  };
  for (const step of steps) next(step);
  return {
    when(step: TestEntry) {
      const transitions = next(step);
      return {
        follows: (...wanted: readonly [Transition, ...Transition[]]) =>
          expect(transitions).to.deep.equal(wanted),
        nothingFollows: () => expect(transitions).to.deep.equal([]),
      };
    },
    test: () => read<TestDocument>('tests', test_id)!,
    branch: (branch: string | null) => read<BranchDocument>('branches', branchId(test_id, branch)),
    entry: (n: number) => read<EntryDocument>('entries', idOf('result', n)),
  };
}
const given = folding;

function atOf(n: number): string {
  return `2026-11-21T12:00:00.${String(n).padStart(3, '0')}Z`;
}

const recovered = (n: number): Transition => ({ type: 'TestRecovered', failure: idOf('result', n) });

describe('the histories of tests', () => {
  describe('recovery', () => {
    it('is a pass after a failure, and names the failure', () =>
      given(failed(1)).when(passed(2)).follows(recovered(1)));

    it('does not follow from a first pass, a pass after a pass, or a failure', () => {
      given().when(passed(1)).nothingFollows();
      given(failed(1), passed(2)).when(passed(3)).nothingFollows();
      given(passed(1)).when(failed(2)).nothingFollows();
    });

    it('depends on entries of the same branch only', () =>
      given(failed(1, main), passed(2, { branch: 'side' }), passed(3))
        .when(passed(4, main))
        .follows(recovered(1)));

    it('treats a missing branch as one branch, and an empty name as another', () => {
      given(failed(1), failed(2, main), passed(3, { branch: '' }))
        .when(passed(4))
        .follows(recovered(1));
      given(failed(1, { branch: '' }))
        .when(passed(2))
        .nothingFollows();
    });

    it('ignores skipped results and known failures', () =>
      given(failed(1), entry(2, 'Skipped'), entry(3, 'KnownFail')).when(passed(4)).follows(recovered(1)));

    it('does not follow from a result that changes its own status', () => {
      given(failed(1)).when(passed(1, again)).nothingFollows();
      given(failed(1), passed(2), failed(3)).when(passed(2, again)).nothingFollows();
    });

    it('depends on the last status of a corrected result, at its last position', () => {
      given(passed(1), failed(1, again)).when(passed(2)).follows(recovered(1));
      given(failed(1), passed(1, again)).when(passed(2)).nothingFollows();
      given(passed(1), failed(2), failed(1, again)).when(passed(3)).follows(recovered(1));
    });

    it('ignores deleted results', () => {
      given(failed(1), deleted(1)).when(passed(2)).nothingFollows();
      given(failed(1), passed(2), deleted(2)).when(passed(3)).follows(recovered(1));
    });

    it('is found behind any number of results on other branches', () => {
      const others = Array.from({ length: 200 }, (_, n) => passed(n + 2, main));
      given(failed(1), ...others)
        .when(passed(300))
        .follows(recovered(1));
    });

    it('names the exact id of any result, also of an item of a bulk submission', () => {
      for (const result_id of [
        itemId(idOf('run', 7), 999_999),
        itemId(idOf('run', 7), 0),
        'result_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      ]) {
        const failure = failed(1, { result_id, run_id: idOf('run', 7), attempt: 1_000 });
        given(failure).when(passed(2)).follows({ type: 'TestRecovered', failure: result_id });
      }
    });

    it('comes before the flakiness that follows from the same entry', () =>
      given(failed(1, { commit: 'c' }))
        .when(passed(2, { commit: 'c' }))
        .follows(recovered(1), {
          type: 'TestBecameFlaky',
          rule: 'same_commit',
          evidence: [idOf('result', 1), idOf('result', 2)],
        }));
  });

  describe('documents', () => {
    it('are listed while they have a final result', () => {
      expect(folding(entry(1, 'Skipped')).test()).to.deep.include({ listed_in: project_id, entries: 1 });
      expect(folding(passed(1), deleted(1)).test()).to.deep.include({ listed_in: null, entries: 0 });
      expect(folding(passed(1), deleted(1), failed(2)).test()).to.deep.include({ listed_in: project_id });
    });

    it('count each result once, on its present branch', () => {
      const folded = folding(passed(1, main), passed(2), failed(1, { ...again, branch: 'side' }));
      expect(folded.test().entries).to.equal(2);
      expect(folded.branch('main')).to.equal(null);
      expect(folded.branch('side')).to.deep.include({ entries: 1, branch: 'side', name: 'pays' });
      expect(folded.branch(null)).to.deep.include({ entries: 1, branch: null });
    });

    it('keep branches apart, even the empty name and a missing branch', () => {
      const folded = folding(passed(1), passed(2, { branch: '' }), passed(3, main));
      for (const branch of [null, '', 'main']) expect(folded.branch(branch)?.entries).to.equal(1);
    });

    it('include an entry for each result with its last status, and none for a deleted result', () => {
      const folded = folding(passed(1), passed(2), failed(1, { ...again, ...main }), deleted(2));
      expect(folded.entry(1)).to.deep.equal({
        result_id: idOf('result', 1),
        test_id,
        branch: 'main',
        placed: '3'.padStart(20, '0'),
        status: 'failed',
        at: atOf(3),
      });
      expect(folded.entry(2)).to.equal(null);
    });

    it('have the instant of their newest result; null after a deletion of that result', () => {
      expect(folding(passed(1), passed(2)).test().last_result_at).to.equal(atOf(2));
      expect(folding(passed(1), passed(2), deleted(2)).test().last_result_at).to.equal(null);
    });

    it('count the transitions', () =>
      expect(folding(failed(1, { commit: 'c' }), passed(2, { commit: 'c' })).test().transitions).to.equal(2));
  });
});
