import { expect } from 'chai';
import fc from 'fast-check';
import { itemId } from '../../../src/domain/ids.js';
import { passesIn } from '../../../src/domain/test-history/failing-runs.js';
import { noHistory, withEntry, without } from '../../../src/domain/test-history/test-history.js';
import type { TestEntry } from '../../../src/domain/test-history/test-entry.js';
import { idOf } from '../ids.js';
import { entry, failed, given, historyOf, passed, stabilised } from './given.js';
import { emptyModel, modelWith, modelWithout } from './model.js';

const broken = { type: 'TestBecameBroken' } as const;
const again = { again: true };

/** `count` failures from the n-th result on, each in a run of its own. */
const failures = (n: number, count: number, more: Partial<TestEntry> = {}) =>
  Array.from({ length: count }, (_, k) => failed(n + k, { run_id: idOf('run', n + k), ...more }));

describe('a broken test', () => {
  it('has failed in each of its last 20 runs', () => {
    given(...failures(1, 18))
      .when(failed(50))
      .nothingFollows();
    given(...failures(1, 19))
      .when(failed(50))
      .follows(broken);
    given(...failures(1, 20))
      .when(failed(50))
      .nothingFollows();
    given(...failures(1, 10), passed(40), ...failures(11, 18))
      .when(failed(50))
      .nothingFollows();
    given(passed(40), ...failures(1, 19))
      .when(failed(50))
      .follows(broken);
  });

  it('is stable again with its first pass', () => {
    given(...failures(1, 20))
      .when(passed(50))
      .follows(stabilised);
    given(...failures(1, 500))
      .when(passed(900))
      .follows(stabilised);
    given(...failures(1, 20), passed(50))
      .when(failed(51))
      .nothingFollows();
  });
});

/** Runs that follow one another, up to three at a time, with up to four attempts each; most of them fail. */
const arrival = fc.record({
  /** How far the newest run moves on. */
  newer: fc.constantFrom(0, 0, 1, 1, 1),
  /** How far behind the newest run the run of the entry is. */
  behind: fc.constantFrom(0, 0, 0, 0, 1, 2),
  attempt: fc.integer({ min: 1, max: 4 }),
  item: fc.boolean(),
  alone: fc.constantFrom(true, ...Array<boolean>(9).fill(false)),
  status: fc.constantFrom(
    'Passed' as const,
    'Skipped' as const,
    'KnownFail' as const,
    ...Array<'Failed'>(60).fill('Failed'),
  ),
  commit: fc.constantFrom(null, null, null, 'c1'),
});

describe('the row of failing runs', () => {
  it('equals a count over all results, with any number of attempts, interleaved runs and dropped results', () => {
    let [becameBroken, ended] = [0, 0];
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 150, maxLength: 250, size: 'max' }), (arrivals) => {
        let [history, model] = [noHistory, emptyModel];
        let newest = 3;
        for (const [n, { newer, behind, alone, item, ...more }] of arrivals.entries()) {
          newest += newer;
          const run_id = alone ? null : idOf('run', newest - behind);
          const ids = { run_id, ...(run_id !== null && item && { result_id: itemId(run_id, n) }) };
          const next = entry(n, more.status, { ...more, ...ids });
          const [packed, plain] = [withEntry(history, next), modelWith(model, next)];
          expect(packed.transitions).to.deep.equal(plain.transitions);
          expect(packed.history.packed.length).to.be.at.most(2 * 56 * 24);
          if (plain.model.state !== model.state) {
            if (plain.model.state === 'broken') becameBroken += 1;
            if (model.state === 'broken') ended += 1;
          }
          [history, model] = [packed.history, plain.model];
          expect(history.state).to.equal(model.state);
        }
      }),
      { numRuns: 60, seed: 11 },
    );
    expect(Math.min(becameBroken, ended)).to.be.greaterThan(10);
  });

  it('equals a count over all results after corrections and deletions, while none is dropped', () => {
    const step = fc.record({
      what: fc.constantFrom('new', 'new', 'new', 'again', 'deleted'),
      nth: fc.nat(99),
      arrival,
    });
    let becameBroken = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 100, size: 'max' }), (steps) => {
        let [history, model] = [noHistory, emptyModel];
        let made: TestEntry[] = [];
        for (const [
          n,
          {
            what,
            nth,
            arrival: { behind, alone, newer: _, item: __, ...more },
          },
        ] of steps.entries()) {
          const one = made[nth % Math.max(1, made.length)];
          if (what === 'deleted' && one !== undefined) {
            made = made.filter((other) => other !== one);
            [history, model] = [without(history, one.result_id), modelWithout(model, one.result_id)];
            continue;
          }
          const corrected = what === 'again' || made.length === 50 ? one : undefined;
          const next = corrected
            ? { ...corrected, ...again, status: more.status }
            : entry(n, more.status, { ...more, run_id: alone ? null : idOf('run', n + 3 - behind) });
          if (corrected === undefined) made.push(next);
          const [packed, plain] = [withEntry(history, next), modelWith(model, next)];
          expect(packed.transitions).to.deep.equal(plain.transitions);
          if (packed.transitions.some(({ type }) => type === 'TestBecameBroken')) becameBroken += 1;
          [history, model] = [packed.history, plain.model];
          expect(history.state).to.equal(model.state);
        }
      }),
      { numRuns: 60, seed: 11 },
    );
    expect(becameBroken).to.be.greaterThan(10);
  });
});

describe('whether a test passed in a run', () => {
  const [one, two, keyed, none] = [1, 2, 3, 4].map((n) => idOf('run', n)) as [string, string, string, string];
  const runs = [one, two, keyed, none];

  it('follows from its last attempt there, and is not known of a run without a verdict of it', () => {
    const history = historyOf(
      failed(1, { run_id: one, attempt: 1 }),
      passed(2, { run_id: one, attempt: 3 }),
      failed(3, { run_id: one, attempt: 2 }),
      entry(4, 'Failed', { result_id: itemId(two, 0), run_id: two }),
      entry(5, 'Passed', { result_id: itemId(idOf('run', 9), 0), run_id: keyed }),
      entry(6, 'Skipped', { run_id: none }),
      passed(7),
    );
    expect(passesIn(history, runs)).to.deep.equal([true, false, true, null]);
    expect(passesIn(noHistory, runs)).to.deep.equal([null, null, null, null]);
  });
});
