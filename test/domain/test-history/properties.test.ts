import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../kit/any-text.js';
import { itemId } from '../../../src/domain/ids.js';
import { limits } from '../../../src/limits.js';
import { statusWords } from '../../../src/domain/results/result.js';
import {
  failureRate,
  lastOutcomes,
  noHistory,
  withEntry,
  without,
} from '../../../src/domain/test-history/test-history.js';
import type { TestEntry } from '../../../src/domain/test-history/test-entry.js';
import type { TestHistory } from '../../../src/domain/test-history/test-history.js';
import { entry } from './given.js';
import { emptyModel, modelOutcomes, modelRate, modelWith, modelWithout, type Model } from './model.js';
import { idOf } from '../ids.js';

const statuses = ['Passed', 'Failed', 'Skipped', 'KnownFail'] as const;

/** Few values of each field, so that entries often share them. */
const details = fc.record({
  status: fc.oneof(
    { arbitrary: fc.constantFrom('Passed', 'Failed'), weight: 4 },
    fc.constantFrom(...statuses),
  ),
  branch: fc.constantFrom(null, 'main', 'side', ''),
  commit: fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, fc.integer({ min: 1, max: 40 }).map(String)),
  run: fc.option(fc.integer({ min: 1, max: 15 })),
  attempt: fc.integer({ min: 1, max: 3 }),
  /** By itself, as an item, or as an item of one of several calls for a run with a key. */
  sent: fc.constantFrom('alone', 'item', 'keyed'),
});
type Details = typeof details extends fc.Arbitrary<infer T> ? T : never;

/** `nth` chooses the result to correct or delete. */
const step = fc.record({
  what: fc.oneof(
    { arbitrary: fc.constant('new'), weight: 6 },
    { arbitrary: fc.constant('correction'), weight: 2 },
    fc.constant('deletion'),
  ),
  nth: fc.nat(1_000),
  details,
});

function entryOf(n: number, { run, sent, ...more }: Details): TestEntry {
  if (run === null) return entry(n, more.status, more);
  const run_id = idOf('run', run);
  const submission = sent === 'keyed' ? idOf('run', 100 + 2 * run + (n % 2)) : run_id;
  return entry(n, more.status, {
    ...more,
    run_id,
    ...(sent !== 'alone' && { result_id: itemId(submission, n) }),
  });
}

function expectSame(history: TestHistory, model: Model): void {
  expect([history.state, lastOutcomes(history), failureRate(history)]).to.deep.equal([
    model.state,
    modelOutcomes(model),
    modelRate(model),
  ]);
}

describe('the packed history of a test', () => {
  it('equals an unpacked history of up to 50 results, after any corrections and deletions', () => {
    let [flaky, stabilised] = [0, 0];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        let [history, model] = [noHistory, emptyModel];
        const made: TestEntry[] = [];
        for (const { what, nth, details: of } of steps) {
          const one = made.length === 0 ? undefined : made[nth % made.length];
          if (what === 'deletion') {
            if (one === undefined) continue;
            made.splice(made.indexOf(one), 1);
            [history, model] = [without(history, one.result_id), modelWithout(model, one.result_id)];
          } else {
            const corrected = what === 'correction' || made.length === 50 ? one : undefined;
            const { result_id, run_id } = corrected ?? entryOf(model.entries.length + nth * 200, of);
            if (corrected === undefined && made.some((other) => other.result_id === result_id)) continue;
            const next = { ...entryOf(0, of), result_id, run_id, again: corrected !== undefined };
            if (corrected === undefined) made.push(next);
            const [packed, plain] = [withEntry(history, next), modelWith(model, next)];
            expect(packed.transitions).to.deep.equal(plain.transitions);
            for (const { type } of packed.transitions) {
              if (type === 'TestBecameFlaky') flaky += 1;
              else if (type === 'TestStabilised') stabilised += 1;
            }
            [history, model] = [packed.history, plain.model];
          }
          expectSame(history, model);
        }
      }),
      { numRuns: 80, seed: 7 },
    );
    expect(Math.min(flaky, stabilised), 'both transitions occurred').to.be.greaterThan(10);
  });

  it('equals an unpacked history of any number of results if none is corrected or deleted', () => {
    fc.assert(
      fc.property(fc.array(details, { minLength: 100, maxLength: 300, size: 'max' }), (all) => {
        let [history, model] = [noHistory, emptyModel];
        for (const [n, of] of all.entries()) {
          const next = entryOf(n, of);
          const [packed, plain] = [withEntry(history, next), modelWith(model, next)];
          expect(packed.transitions).to.deep.equal(plain.transitions);
          [history, model] = [packed.history, plain.model];
          expectSame(history, model);
        }
      }),
      { numRuns: 50, seed: 7 },
    );
  });

  it('distinguishes every attempt, status and kind of result', () => {
    for (let attempt = 1; attempt <= 1_000; attempt += 1) {
      const run_id = idOf('run', 1);
      const items = [itemId(run_id, attempt), itemId(idOf('run', 2), attempt)];
      for (const result_id of [idOf('result', attempt), ...items]) {
        const of = (status: (typeof statuses)[number], again: boolean) =>
          withEntry(noHistory, entry(0, status, { result_id, run_id, attempt, again, commit: 'c' })).history;
        for (const again of [false, true]) {
          for (const status of statuses) {
            expect(lastOutcomes(of(status, again)), `${attempt}`).to.deep.equal([statusWords[status]]);
            const { origins: _, ...left } = without(of(status, again), result_id);
            expect({ ...left, origins: [] }, `${attempt}`).to.deep.equal(noHistory);
          }
          const later = entry(2_000, 'Passed', { run_id, attempt: 1_000 });
          const rule = {
            type: 'TestBecameFlaky',
            rule: 'later_attempt',
            evidence: [result_id, later.result_id],
          };
          const follows = again || attempt === 1_000 ? [] : [rule];
          expect(withEntry(of('Failed', again), later).transitions).to.deep.equal(follows);
          const sameAttempt = withEntry(of('Failed', again), { ...later, attempt }).transitions;
          expect(sameAttempt).to.deep.equal([]);
        }
      }
    }
  });

  it('is the same after the same entries', () => {
    fc.assert(
      fc.property(fc.array(details, { maxLength: 100 }), (all) => {
        const fold = () =>
          all.reduce<TestHistory>((history, of, n) => withEntry(history, entryOf(n, of)).history, noHistory);
        expect(fold()).to.deep.equal(fold());
      }),
      { numRuns: 20 },
    );
  });

  it('is at most 2,800 bytes without its origins as JSON with any entries, and survives a round trip', () => {
    const text = fc.option(fc.string({ unit: codePoint, minLength: 0, maxLength: 255, size: 'max' }));
    const suffix = fc.stringMatching(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    const longest = fc.record({
      suffix,
      ordinal: fc.option(fc.integer({ min: 0, max: limits.itemsPerSubmission - 1 })),
      has_key: fc.boolean(),
      in_run: fc.boolean(),
      attempt: fc.constantFrom(1, 999, 1_000),
      branch: text,
      commit: text,
      status: fc.constantFrom(...statuses),
      again: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(longest, { minLength: 100, maxLength: 150, size: 'max' }), (all) => {
        let history = noHistory;
        for (const { suffix: id, ordinal, has_key, in_run, ...more } of all) {
          const run = has_key ? idOf('run', 1) : `run_${id}`;
          const run_id = ordinal !== null || in_run ? run : null;
          const result_id = ordinal === null ? `result_${id}` : `result_${id}_${ordinal}`;
          ({ history } = withEntry(history, { ...more, environment: '', result_id, run_id }));
          const { origins, ...own } = history;
          const json = JSON.stringify(own);
          expect(Buffer.byteLength(json)).to.be.at.most(2_800);
          expect({ ...JSON.parse(json), origins }).to.deep.equal(history);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps 56 results that passed or failed behind 56 of other statuses, and the ids of all of them', () => {
    let history = noHistory;
    const add = (next: TestEntry) => ({ history } = withEntry(history, next));
    const aside = (n: number) => (n % 2 === 0 ? 'Skipped' : 'KnownFail');
    for (let n = 1; n <= 100; n += 1) add(entry(n, 'Passed', { commit: `c${n}` }));
    for (let n = 101; n <= 200; n += 1) add(entry(n, aside(n)));
    expect(history.packed.length).to.equal((56 + 56) * 24);
    expect(lastOutcomes(history)).to.deep.equal(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'skipped' : 'known_fail')),
    );
    // With the new entry, the 52nd is the oldest of 50.
    const flaky = (n: number) => withEntry(history, entry(300, 'Failed', { commit: `c${n}` })).transitions;
    expect(flaky(52)).to.have.length(1);
    expect(flaky(51)).to.deep.equal([]);
    for (let n = 151; n <= 200; n += 1) {
      expect(without(history, idOf('result', n)).packed.length).to.equal(history.packed.length - 24);
    }
    for (let n = 51; n <= 100; n += 1) {
      expect(without(history, idOf('result', n)).packed.length).to.equal(history.packed.length - 24);
    }
  });
});
