import { expect } from 'chai';
import {
  branchBucket,
  branchStateIn,
  type BranchBucketDocument,
} from '../../projections/history/branches.js';
import { MOST_LINES } from '../../projections/history/lines.js';
import {
  digitsOf,
  partsOfListing,
  type Listing,
  type ListingDocument,
} from '../../projections/history/listings.js';
import { ownerIn } from '../../projections/history/owners.js';
import { placeIn } from '../../projections/history/buckets.js';
import { stateIn, type TestBucketDocument } from '../../projections/history/test-buckets.js';
import type { KnownFailureDocument } from '../../projections/history/known-failures.js';
import {
  blockId,
  entriesInBlock,
  type HistoryBlockDocument,
} from '../../projections/history/history-blocks.js';
import { knownFailures } from '../../projections/history/known-failures.js';
import { testHistories } from '../../projections/history/histories.js';
import type { TestDocument } from '../../projections/history/tests.js';
import { type TransitionsDocument } from '../../projections/history/transitions.js';
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import type { Fact } from '../../src/domain/events.js';
import type {
  Collection,
  CollectionSpec,
  DocumentRef,
  Documents,
  OpenCollection,
} from '../../src/domain/projection.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';
import { itemId } from '../../src/domain/ids.js';
import { idOf } from '../domain/ids.js';
import { deleted, entry, failed, passed, type Step } from '../domain/test-history/given.js';

const main = { branch: 'main' };
const again = { again: true };
const test_id = idOf('test');
const project_id = idOf('project');

/** Folds the steps one after another, each as the event of a result. */
function folding(...steps: readonly Step[]) {
  const texts = new Map<string, string>();
  const branches = new Map<string, string | null>();
  /** The newest event of each result. */
  const events = new Map<string, string>();
  const isKnown = (id: string) => read<TransitionsDocument>('transitions', events.get(id)!)?.known === true;
  let position = 0;

  function next(step: Step): Transition[] {
    const placed: TestEntry | null = 'deleted' in step ? null : step;
    const id = 'deleted' in step ? step.deleted : step.result_id;
    const former = branches.has(id) ? { branch: branches.get(id)!, environment: '' } : null;
    if (placed === null) branches.delete(id);
    else branches.set(id, placed.branch);
    position += 1;
    const change = {
      test_id,
      result: { test_result_id: id, project_id, test_name: 'pays' },
      owner: (step as { owner?: string }).owner ?? null,
      tags: null,
      ran_at: atOf(position),
      entry: placed,
      former,
    } as ResultChange;
    const event = {
      id: `event_${position}`,
      type: placed === null ? 'ResultDeleted' : 'ResultUpdated',
      position: String(position).padStart(20, '0'),
      data: { result_id: id, run_id: null, retry_of: null },
      meta: { team_id: idOf('team'), at: atOf(position) },
      change,
    } as HistoryEvent;
    events.set(id, event.id);
    fold(event);
    // As the fold of failures does.
    if (placed?.status === 'Failed') texts.set(`failures/${id}`, JSON.stringify({ known: isKnown(id) }));
    else texts.delete(`failures/${id}`);
    return [...(read<TransitionsDocument>('transitions', event.id)?.transitions ?? [])];
  }

  function fold(event: HistoryEvent): void {
    const touched = new Set<string>();
    const announce = (refs: readonly DocumentRef[]) =>
      refs.forEach(({ collection, id }) => touched.add(`${collection}/${id}`));
    for (const part of [knownFailures, testHistories]) announce(part.touches(event));
    const mustTouch = (name: string) => expect([...touched]).to.include(name);
    const opened = new Map<string, { open: object; edited: boolean }>();
    const openAt = <D extends object, Open extends D>(collection: OpenCollection<D, Open>, key: string) => {
      mustTouch(`${collection.name}/${key}`);
      const known = opened.get(`${collection.name}/${key}`);
      if (known !== undefined) return known;
      const one = { open: collection.open(read<D>(collection.name, key)) as object, edited: false };
      opened.set(`${collection.name}/${key}`, one);
      return one;
    };
    const documents: Documents = {
      open: <D extends object, Open extends D>(collection: OpenCollection<D, Open>, key: string) =>
        openAt(collection, key).open as Open,
      edit<D extends object, Open extends D>(collection: OpenCollection<D, Open>, key: string) {
        const one = openAt(collection, key);
        one.edited = true;
        return one.open as Open;
      },
      get<T extends object>({ name: collection }: Collection<T>, key: string) {
        mustTouch(`${collection}/${key}`);
        const text = texts.get(`${collection}/${key}`);
        return text === undefined ? null : (JSON.parse(text) as T);
      },
      put({ name: collection }: CollectionSpec, key, document) {
        mustTouch(`${collection}/${key}`);
        texts.set(`${collection}/${key}`, JSON.stringify(document));
      },
      change(named, key) {
        throw new Error(`unexpected: ${named.name}/${key}`);
      },
      remove({ name: collection }: CollectionSpec, key) {
        mustTouch(`${collection}/${key}`);
        texts.delete(`${collection}/${key}`);
      },
      add: ({ name: collection }: CollectionSpec, key, document) =>
        void texts.set(`${collection}/${key}`, JSON.stringify(document)),
    };
    for (const more of testHistories.follows?.(documents, event) ?? []) announce(more);
    for (const part of [knownFailures, testHistories]) part.apply(documents, event);
    for (const [key, { edited, open }] of opened) if (edited) texts.set(key, JSON.stringify(open));
  }

  const read = <T>(collection: string, id: string): T | null => {
    const text = texts.get(`${collection}/${id}`);
    return text === undefined ? null : (JSON.parse(text) as T);
  };
  for (const step of steps) next(step);
  const folded = {
    /** A known failure that begins now and ends at the n-th event. */
    known(until: number, branch: string | null = null) {
      const named = { test_id, project_id, test_name: 'pays', reason: 'reported' };
      happens({ type: 'KnownFailureSet', data: { ...named, branch, expires_at: atOf(until) } });
      return folded;
    },
    ends() {
      const named = { test_id, project_id, test_name: 'pays' };
      happens({ type: 'KnownFailureEnded', data: { ...named, ended: 'requested' } });
      return folded;
    },
    goesOn(...more: readonly Step[]) {
      for (const step of more) next(step);
      return folded;
    },
    knownOf: (...ns: number[]) => ns.map((n) => isKnown(idOf('result', n))),
    due: () => read<KnownFailureDocument>('known_failures', test_id),
    when(step: TestEntry) {
      const transitions = next(step);
      return {
        follows: (...wanted: readonly [Transition, ...Transition[]]) =>
          expect(transitions).to.deep.equal(wanted),
        nothingFollows: () => expect(transitions).to.deep.equal([]),
      };
    },
    test: () => read<TestDocument>('tests', test_id)!,
    state() {
      const { bucket, slot } = placeIn(project_id, folded.test().number);
      return stateIn(read<TestBucketDocument>('test_buckets', bucket), slot);
    },
    ownerOn(branch: string | null) {
      const place = placeIn(project_id, folded.test().number);
      const bucket = read<BranchBucketDocument>('branch_buckets', branchBucket(place, branch));
      return ownerIn(branchStateIn(bucket, place.slot).owners);
    },
    isListed(listing: Listing) {
      const { number } = folded.test();
      const parts = partsOfListing(project_id, listing, number + 1);
      return parts.map((id) => digitsOf(read<ListingDocument>('listings', id))).join('')[number] === '1';
    },
    entries() {
      const { bucket, slot } = placeIn(project_id, folded.test().number);
      const block = read<HistoryBlockDocument>('history_blocks', blockId(bucket, 0));
      return block === null ? [] : entriesInBlock(block, slot, undefined);
    },
  };
  return folded;

  function happens(fact: Fact): void {
    position += 1;
    fold({
      ...fact,
      id: `event_${position}`,
      position: String(position).padStart(20, '0'),
      meta: { team_id: idOf('team'), actor: idOf('key'), at: atOf(position) },
    } as HistoryEvent);
  }
}
const given = folding;

function atOf(n: number): string {
  return `2026-11-21T12:00:00.${String(n).padStart(3, '0')}Z`;
}

/** A pass of a result whose metadata name this owner. */
const owned = (n: number, owner: string | null, more: Partial<TestEntry> = {}): Step =>
  ({ ...passed(n, more), owner }) as Step;

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

  describe('a known failure', () => {
    const hidden = (folded: ReturnType<typeof folding>) => folded.test().known_failure?.hidden_results;

    it('stands in the test, with the key that set it, and in the list of those that will end', () => {
      const folded = folding(failed(1)).known(9, 'main');
      expect(folded.test().known_failure).to.deep.equal({
        reason: 'reported',
        branch: 'main',
        environment: null,
        expires_at: atOf(9),
        actor: idOf('key'),
        at: atOf(2),
        hidden_results: 0,
      });
      expect(folded.due()).to.deep.equal({
        team_id: idOf('team'),
        test_id,
        project_id,
        in_force: true,
        expires_at: atOf(9),
      });
      folded.ends();
      expect([folded.test().known_failure, folded.due()]).to.deep.equal([null, null]);
      expect(folded.test().listed_in).to.equal(project_id);
      expect(folded.state().entries).to.equal(1);
    });

    it('makes the failures after it known, on any branch, and nothing else', () => {
      const folded = folding(failed(1)).known(9);
      folded.goesOn(failed(2), failed(3, main), passed(4), entry(5, 'Skipped'), entry(6, 'KnownFail'));
      expect(folded.knownOf(1, 2, 3, 4, 5, 6)).to.deep.equal([false, true, true, false, false, false]);
      expect(hidden(folded)).to.equal(2);
    });

    it('makes only the failures of its branch known', () => {
      const folded = folding(passed(1))
        .known(9, 'main')
        .goesOn(failed(2, main), failed(3), failed(4, { branch: '' }));
      expect(folded.knownOf(2, 3, 4)).to.deep.equal([true, false, false]);
      expect(hidden(folded)).to.equal(1);
    });

    it('makes no failure known from its end on, whether the end is recorded yet or not', () => {
      const expired = folding(passed(1)).known(4).goesOn(failed(3), failed(4));
      expect(expired.knownOf(3, 4)).to.deep.equal([true, false]);
      const ended = folding(passed(1)).known(9).ends().goesOn(failed(4));
      expect(ended.knownOf(4)).to.deep.equal([false]);
    });

    it('leaves failures known after its end, until their status is set again', () => {
      const folded = folding(passed(1)).known(9).goesOn(failed(3), failed(4)).ends();
      expect(folded.knownOf(3, 4)).to.deep.equal([true, true]);
      folded.goesOn(passed(3, again), failed(3, again));
      expect(folded.knownOf(3, 4)).to.deep.equal([false, true]);
    });

    it('counts each result once, and deleted ones too', () => {
      const folded = folding(passed(1))
        .known(99)
        .goesOn(failed(2), failed(2, { ...again, ...main }), failed(3));
      expect(hidden(folded)).to.equal(2);
      expect(hidden(folded.goesOn(deleted(2), deleted(3), deleted(1)))).to.equal(2);
      expect(folded.test().listed_in).to.equal(null);
    });

    it('begins to count anew when another one replaces it', () => {
      const folded = folding(passed(1)).known(99).goesOn(failed(2)).known(98);
      expect(hidden(folded)).to.equal(0);
      expect(folded.knownOf(2)).to.deep.equal([true]);
      expect(folded.due()?.expires_at).to.equal(atOf(98));
    });

    it('changes no transition', () => {
      const folded = folding(passed(1)).known(99).goesOn(failed(2));
      folded.when(passed(3)).follows(recovered(2));
    });
  });

  describe('documents', () => {
    it('list an entry for each result with its last status, newest first, and none for a deleted result', () => {
      const folded = folding(passed(1), passed(2), passed(3), failed(1, { ...again, ...main }), deleted(2));
      expect(folded.entries()).to.deep.equal([
        { result_id: idOf('result', 1), branch: 'main', environment: null, status: 'Failed' },
        { result_id: idOf('result', 3), branch: null, environment: null, status: 'Passed' },
      ]);
    });

    it('have the instant of their newest result; null after a deletion of that result', () => {
      expect(folding(passed(1), passed(2)).state().last_result_at).to.equal(atOf(2));
      expect(folding(passed(1), passed(2), deleted(2)).state().last_result_at).to.equal(null);
    });

    it('have the owner of their newest result, also on each branch', () => {
      const folded = folding(
        owned(1, 'shop', main),
        owned(2, 'pay', main),
        owned(3, null, { branch: 'side' }),
      );
      expect(folded.test().owner).to.equal(null);
      expect(folded.ownerOn('main')).to.equal('pay');
      expect(folded.ownerOn('side')).to.equal(null);
      expect(folding(owned(1, 'shop'), owned(2, 'pay')).test().owner).to.equal('pay');
      expect(folding(owned(1, 'shop'), owned(2, 'pay'), owned(1, 'new', again)).test().owner).to.equal('new');
    });

    it('have the owner before it again after a deletion, of the last four results', () => {
      const owners = [owned(1, 'a', main), owned(2, 'b', main), owned(3, null, main), owned(4, 'd', main)];
      const left = (...gone: number[]) => {
        const folded = folding(...owners, ...gone.map(deleted));
        return [folded.test().owner, folded.ownerOn('main')];
      };
      expect(left(1)).to.deep.equal(['d', 'd']);
      expect(left(4)).to.deep.equal([null, null]);
      expect(left(4, 3)).to.deep.equal(['b', 'b']);
      expect(left(3, 2, 4)).to.deep.equal(['a', 'a']);
    });

    it('are in the list of an environment until their line there is forgotten for others', () => {
      const ran = (n: number) => passed(n, { environment: `os=${n}`, ...main });
      const folded = folding(ran(1), ran(2), passed(3, main));
      const lists: Listing[] = [{ environment: 'os=1' }, { environment: 'os=2' }, { branch: 'main' }];
      expect(lists.map(folded.isListed)).to.deep.equal([true, true, true]);
      expect(folded.isListed({ environment: 'os=3' })).to.equal(false);
      for (let n = 4; n <= MOST_LINES + 1; n += 1) folded.goesOn(ran(n));
      const last = `os=${MOST_LINES + 1}`;
      expect(folded.isListed({ environment: last })).to.equal(true);
      const gone = Array.from({ length: MOST_LINES }, (_, n) => `os=${n + 1}`).filter(
        (environment) => environment !== 'os=3' && !folded.isListed({ environment }),
      );
      expect(gone).to.have.length(1);
      const kept = new Set(folded.test().lines!.map(({ environment }) => environment));
      expect(kept.has(gone[0]!)).to.equal(false);
      expect(folded.isListed({ environment: gone[0]!, branch: 'main' })).to.equal(true);
    });

    it('hold nothing for owners where no result has one', () => {
      expect(folding(passed(1), passed(2)).state().owners).to.deep.equal([]);
      const former = folding(owned(1, 'a'), passed(2), passed(3), passed(4), passed(5));
      expect([former.test().owner, former.state().owners]).to.deep.equal([null, []]);
    });

    it('say that a flaky test passes again, also after all its newest entries were deleted', () => {
      const skipped = Array.from({ length: 57 }, (_, n) => entry(n + 3, 'Skipped'));
      const folded = folding(failed(1, { commit: 'c' }), passed(2, { commit: 'c' }), ...skipped);
      const troubleIn = ({ state, newest }: TestDocument) => [state, newest];
      expect(troubleIn(folded.test())).to.deep.equal(['flaky', 'skipped']);
      // The history keeps 56 entries and the verdicts: the first of the skips has left it.
      const kept = [1, 2, ...Array.from({ length: 56 }, (_, n) => n + 4)];
      folded.goesOn(...kept.map(deleted));
      expect(troubleIn(folded.test())).to.deep.equal([null, null]);
      expect(troubleIn(folded.goesOn(passed(60)).test())).to.deep.equal(['flaky', 'passed']);
    });

    it('count the transitions', () =>
      expect(folding(failed(1, { commit: 'c' }), passed(2, { commit: 'c' })).test().transitions).to.equal(2));
  });
});
