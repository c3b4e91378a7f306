import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { packItems } from '../../src/commands/submissions/packed-items.js';
import type { Packing } from '../../src/commands/submissions/packed-chunks.js';
import type { PackedChunk, SubmittedItem } from '../../src/commands/submissions/submission.js';
import { keyOfEnvironment } from '../../src/domain/environment.js';
import { itemId } from '../../src/domain/ids.js';
import { itemsIn } from '../../src/domain/runs/item-chunk.js';
import { itemOf } from './submissions.given.js';

const run_id = 'run_01h455vb4pex5vsknk084sn02q';
const born = {
  submission_id: run_id,
  run_id,
  project_id: 'project_1',
  finished_at: '2026-11-21T12:00:00.000Z',
  branch: 'main',
  commit: null,
  environment: '',
};
const plenty = { events: 100_000, bytes: 1e9 };

function packed(items: readonly SubmittedItem[], most?: Packing['most']) {
  const all = packItems({ project_id: born.project_id, hash: null, ...(most && { most }) });
  for (const item of items) all.add(item);
  return all;
}

const dataOf = (appends: Iterable<PackedChunk[]>): any[] =>
  [...appends].flat().flatMap(({ json }) => itemsIn(JSON.parse(json), run_id));

type Attempt = { name: string; attempt: number; own: Record<string, string> };

const attempts = fc.array(
  fc.record<Attempt>({
    name: fc.constantFrom('a', 'b', 'c', '__proto__'),
    attempt: fc.integer({ min: 1, max: 5 }),
    own: fc.constantFrom({}, {}, { os: 'linux' }, { os: 'windows' }, { os: 'linux', node: '22' }),
  }),
  { maxLength: 30 },
);
const ofCalls = fc.constantFrom<Record<string, string>>({}, { os: 'linux' }, { node: '22', os: 'linux' });

const attemptItem = ({ name, attempt, own }: Attempt) =>
  itemOf({
    test_name: name,
    attempt,
    ...(Object.keys(own).length > 0 && { metadata: { environment: own } }),
  });

describe('attempts of one submission', () => {
  const isSame = (ofCall: Record<string, string>, one: Attempt, other: Attempt) =>
    one.name === other.name && isDeepStrictEqual({ ...ofCall, ...one.own }, { ...ofCall, ...other.own });

  /** By docs/api.md, section 3.4: the first item of the same name and environment with the next higher attempt. */
  function naive(items: readonly Attempt[], ofCall: Record<string, string>): (number | null)[] {
    return items.map((item) => {
      const higher = items.filter((other) => isSame(ofCall, item, other) && other.attempt > item.attempt);
      const next = Math.min(...higher.map((other) => other.attempt));
      const first = items.findIndex((other) => isSame(ofCall, item, other) && other.attempt === next);
      return first === -1 ? null : first;
    });
  }

  it('supersede one another by the rule of the contract, whatever the attempts are', () => {
    fc.assert(
      fc.property(attempts, ofCalls, (items, ofCall) => {
        const expected = naive(items, ofCall);
        const origin = { ...born, environment: keyOfEnvironment(ofCall) };
        const events = dataOf(packed(items.map(attemptItem)).appends(origin, plenty));
        events.forEach(({ superseded_by, supersedes }, ordinal) => {
          const by = expected[ordinal];
          expect(superseded_by).to.equal(by == null ? null : itemId(run_id, by));
          const lower = expected.flatMap((superseder, at) => (superseder === ordinal ? [at] : []));
          expect(supersedes).to.deep.equal(lower);
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('leave exactly the items with the highest attempt of their name and environment', () => {
    fc.assert(
      fc.property(attempts, ofCalls, (items, ofCall) => {
        const origin = { ...born, environment: keyOfEnvironment(ofCall) };
        const events = dataOf(packed(items.map(attemptItem)).appends(origin, plenty));
        const standing = events.filter((data) => data.superseded_by === null);
        const highest = (item: Attempt) =>
          Math.max(...items.filter((other) => isSame(ofCall, item, other)).map(({ attempt }) => attempt));
        expect(standing.map((data) => data.result_id)).to.deep.equal(
          items.flatMap((item, at) => (item.attempt === highest(item) ? [itemId(run_id, at)] : [])),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('items of a submission', () => {
  it('become events with all sent fields and the ids of their run', () => {
    const one = itemOf({ error_message: 'é"\\', metadata: { __proto__x: [1.5, null], 'a.b': {} } });
    const [data] = dataOf(packed([one]).appends(born, plenty));
    expect(data).to.deep.equal({
      result_id: itemId(run_id, 0),
      project_id: 'project_1',
      run_id,
      run_branch: 'main',
      run_commit: null,
      superseded_by: null,
      supersedes: [],
      finished_at: born.finished_at,
      ...one,
    });
  });

  it('end with their run only if they have no end of their own', () => {
    const items = [
      itemOf(),
      itemOf({ finished_at: null }),
      itemOf({ finished_at: '2026-01-01T00:00:00.000Z' }),
    ];
    const finishes = dataOf(packed(items).appends(born, plenty)).map((data) => data.finished_at);
    expect(finishes).to.deep.equal([born.finished_at, null, '2026-01-01T00:00:00.000Z']);
  });

  it('are counted by status', () => {
    const statuses = ['Passed', 'KnownFail', 'Passed', 'Pending'] as const;
    expect(packed(statuses.map((status) => itemOf({ status }))).counts).to.deep.equal({
      pending: 1,
      running: 0,
      passed: 2,
      failed: 0,
      skipped: 0,
      known_fail: 1,
    });
  });

  it('give the earliest start among them', () => {
    expect(packed([itemOf()]).earliest).to.equal(null);
    const starts = ['2026-01-02T00:00:00.000Z', null, '2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
    expect(packed(starts.map((started_at) => itemOf({ started_at }))).earliest).to.equal(starts[2]);
  });

  it('are cut into appends within the limits of the log, in order and the same each time', () => {
    const names = fc.array(fc.string({ minLength: 2, maxLength: 200, unit: 'grapheme' }), { minLength: 1 });
    fc.assert(
      fc.property(
        names,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1_200, max: 4_000 }),
        fc.record({ items: fc.integer({ min: 1, max: 4 }), characters: fc.integer({ min: 1, max: 600 }) }),
        fc.nat(5),
        (all, events, bytes, most, from) => {
          const items = all.map((test_name) => itemOf({ test_name }));
          const cut = (first: number) => [...packed(items, most).appends(born, { events, bytes }, first)];
          const appends = cut(0);
          for (const append of appends) {
            expect(append.length).to.be.within(1, events);
            const size = append.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
            if (append.length > 1) expect(size).to.be.at.most(bytes);
            for (const { count } of append) expect(count).to.be.within(1, most.items);
          }
          expect(dataOf(appends).map((data) => data.test_name)).to.deep.equal(all);
          expect(cut(0)).to.deep.equal(appends);
          expect(dataOf(cut(from))).to.deep.equal(dataOf(appends).slice(from));
        },
      ),
    );
  });

  it('are cut further where they replace many items of other attempts, so that no chunk is too large for a log', () => {
    const names = Array.from({ length: 500 }, (_, n) => `test ${n}`);
    const all = packed(names.map((test_name) => itemOf({ test_name })));
    const relating = all.relate(1_000, '');
    for (let attempt = 1; attempt < 200; attempt += 1)
      relating.add({ attempt, submission_id: run_id, first: 0, lines: names, attempts: names.map(() => 1) });
    const replacing = relating.end();
    const limits = { events: 1_000, bytes: 500_000 };
    const appends = [...all.appends(born, limits, 0, replacing)];
    for (const { json } of appends.flat()) expect(Buffer.byteLength(json)).to.be.below(500_000);
    const items = dataOf(appends);
    expect(items.map(({ test_name }) => test_name)).to.deep.equal(names);
    for (const item of items) expect(item.replaces).to.have.length(199);
    expect(dataOf([...all.appends(born, limits, 123, replacing)])).to.deep.equal(items.slice(123));
  });

  it('fit into one append even if one of them supersedes 49,999 others', () => {
    const items = Array.from({ length: 50_000 }, (_, at) => itemOf({ attempt: at === 49_999 ? 2 : 1 }));
    const limits = { events: 1_000, bytes: 1_000_000 };
    for (const append of packed(items).appends(born, limits)) {
      expect(append.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)).to.be.at.most(limits.bytes);
    }
  });
});
