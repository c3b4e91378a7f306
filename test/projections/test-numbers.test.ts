import { expect } from 'chai';
import { testHistories } from '../../projections/history/histories.js';
import { knownFailures } from '../../projections/history/known-failures.js';
import {
  MOST_NEWEST,
  numbersOf,
  numbersRefs,
  putNumbers,
  settledRefs,
  willSettle,
  type TestNumbers,
} from '../../projections/history/test-numbers.js';
import type { TestDocument } from '../../projections/history/tests.js';
import { together } from '../../projections/projection.js';
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { idOf } from '../domain/ids.js';
import { passed } from '../domain/test-history/given.js';
import { fold } from './folding.js';

const project = idOf('project');

/** As folds of batches of so many new tests: no document is there that was not asked for. */
function numbers(batch = 1) {
  const stored = new Map<string, { tests: string }>();
  let [puts, asked, changed]: [number, string[], string[]] = [0, [], []];
  const mustAsk = (id: string) => {
    if (!asked.includes(id)) throw new Error(`${id} was not asked for`);
  };
  const documentsOf = (): Documents =>
    ({
      get(_: object, id: string) {
        mustAsk(id);
        return stored.get(id) ?? null;
      },
      put(_: object, id: string, document: { tests: string }) {
        mustAsk(id);
        changed.push(id);
        stored.set(id, document);
      },
    }) as unknown as Documents;
  let documents = documentsOf();
  const ask = (refs: readonly DocumentRef[]) => asked.push(...refs.map(({ id }) => id));
  const of = (test: string) => {
    asked = [];
    ask(numbersRefs(project, test));
    return numbersOf(documents, project, test);
  };
  return {
    stored,
    of,
    /** The ids of the documents that it changed. */
    put(test: string, all: TestNumbers): string[] {
      if (puts % batch === 0) documents = documentsOf();
      puts += 1;
      changed = [];
      if (of(test) !== null) throw new Error(`${test} has numbers`);
      if (willSettle(documents, project, test)) ask(settledRefs(project, test));
      putNumbers(documents, project, test, all);
      expect(of(test)).to.deep.equal(all);
      return changed;
    },
  };
}

/** The n-th test of those whose ids end alike, so that their numbers come into the same documents. */
const alike = (n: number) => idOf('test', n * 10);

describe('the numbers of tests', () => {
  it('are those of each test, and of no other', () => {
    const { stored, put, of } = numbers();
    const ids = Array.from({ length: 3_000 }, (_, n) => testIdOf(project, `pays ${n}`));
    for (const [n, id] of ids.entries()) put(id, { number: n * 1_000, ordinal: n });
    expect(ids.map(of)).to.deep.equal(ids.map((_, n) => ({ number: n * 1_000, ordinal: n })));
    expect(stored.size).to.equal(32);
  });

  it('are not found across two tests', () => {
    const { put, of } = numbers();
    const [one, other] = [`test_1${'0'.repeat(25)}`, `test_${'0'.repeat(26)}`];
    put(one, { number: 0, ordinal: 0 });
    expect(of(other)).to.equal(null);
    put(other, { number: 7, ordinal: 3 });
    expect([of(one), of(other)]).to.deep.equal([
      { number: 0, ordinal: 0 },
      { number: 7, ordinal: 3 },
    ]);
  });

  it('are not those of a test whose id differs in any one character', () => {
    const { put, of } = numbers();
    const id = testIdOf(project, 'pays');
    put(id, { number: 0, ordinal: 0 });
    for (let at = 'test_'.length; at < id.length; at += 1) {
      const other = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
      expect(of(other), other).to.equal(null);
      put(other, { number: at, ordinal: at });
      expect([of(id), of(other)]).to.deep.equal([
        { number: 0, ordinal: 0 },
        { number: at, ordinal: at },
      ]);
    }
  });

  for (const batch of [1, 100, 5_000])
    it(`of many new tests change the other documents once for all of them, ${batch} in a batch`, () => {
      const { stored, put, of } = numbers(batch);
      const count = 3 * MOST_NEWEST + 1;
      const changed: string[][] = [];
      for (let n = 0; n < count; n += 1) {
        changed.push(put(alike(n), { number: n + 7, ordinal: n }));
      }
      const [newest] = changed[0]!;
      const once = changed.flatMap((ids, n) => (ids.length === 1 && ids[0] === newest ? [] : [n]));
      expect(once).to.deep.equal([MOST_NEWEST, 2 * MOST_NEWEST, 3 * MOST_NEWEST]);
      expect(Array.from({ length: count }, (_, n) => of(alike(n)))).to.deep.equal(
        Array.from({ length: count }, (_, n) => ({ number: n + 7, ordinal: n })),
      );
      // 36 characters each.
      const sizes = [...stored.values()].map(({ tests }) => tests.length / 36);
      expect(sizes.reduce((sum, size) => sum + size)).to.equal(count);
      expect(stored.get(newest!)!.tests.length / 36).to.equal(1);
    });

  // By itself in a batch, either the first result of a test or its known failure finds the newest numbers full.
  for (const knownAt of [MOST_NEWEST, MOST_NEWEST + 10])
    it(`are the same documents wherever batches end, with a test that is known as number ${knownAt}`, async () => {
      const projection = together<HistoryEvent>('history', [knownFailures, testHistories]);
      const count = MOST_NEWEST + 20;
      const round = (first: number) => Array.from({ length: count }, (_, n) => resultOf(n, first + n));
      const first = round(0);
      const events = [...first.slice(0, knownAt), knownTest(count), ...first.slice(knownAt), ...round(1_000)];
      const [one, ...others] = await Promise.all(
        [[MOST_NEWEST, 1, 5_000], [7, 90], [5_000]].map((sizes) => fold(events, sizes, projection as never)),
      );
      for (const other of others)
        expect(Object.fromEntries(other.texts)).to.deep.equal(Object.fromEntries(one!.texts));

      const numberOf = (n: number) =>
        (JSON.parse(one!.texts.get(`tests/${alike(n)}`)!) as TestDocument).number;
      const tests = Array.from({ length: count }, (_, n) => n);
      const inOrder = [...tests.slice(0, knownAt), count, ...tests.slice(knownAt)];
      expect(inOrder.map(numberOf)).to.deep.equal(inOrder.map((_, n) => n));
      expect(JSON.parse(one!.texts.get(`project_tests/${project}`)!)).to.include({ tests: count + 1 });
    });
});

describe('the document of a new test', () => {
  it('has the id that its event says, where it is not that of the name', async () => {
    const shown = async (test_id: string, facts?: object) => {
      const event = resultOf(0, 0);
      const named = { ...event.change!, test_id };
      const meta = { ...event.meta, ...(facts && { facts }) };
      const { texts } = await fold([{ ...event, meta, change: named } as never], [1], testHistories);
      return (JSON.parse(texts.get(`tests/${test_id}`)!) as TestDocument).test_id;
    };
    const ofName = testIdOf(project, 'pays 0');
    const other = testIdOf(project, 'the name before it was redacted');
    expect(await shown(other, { test_id: other })).to.equal(other);
    expect(await shown(ofName, { test_id: ofName })).to.equal(undefined);
    expect(await shown(ofName)).to.equal(undefined);
  });
});

/** The n-th test is known before it runs. */
function knownTest(n: number): HistoryEvent {
  const test = { test_id: alike(n), project_id: project, test_name: 'pays' };
  const known = { reason: 'reported', branch: null, expires_at: '2027-01-01T00:00:00.000Z' };
  const { change: _, ...event } = resultOf(n, n);
  return { ...event, type: 'KnownFailureSet', data: { ...test, ...known } } as unknown as HistoryEvent;
}

/** A pass of the n-th test. */
function resultOf(n: number, result: number): HistoryEvent {
  const entry = passed(result);
  const change = {
    test_id: alike(n),
    result: { test_result_id: entry.result_id, project_id: project, test_name: `pays ${n}` },
    owner: null,
    tags: null,
    ran_at: '2026-01-01T00:00:00.000Z',
    entry,
    former: null,
  } as unknown as ResultChange;
  return {
    id: `event_${result}`,
    type: 'ResultCreated',
    position: String(result + 1).padStart(20, '0'),
    data: { result_id: entry.result_id, run_id: null, retry_of: null },
    meta: { team_id: idOf('team'), at: '2026-01-01T00:00:00.000Z' },
    change,
  } as unknown as HistoryEvent;
}
