import { expect } from 'chai';
import fc from 'fast-check';
import type { Happened } from '../../../src/domain/decider.js';
import { streamName } from '../../../src/domain/event.js';
import type { EventType, LedgerEvent } from '../../../src/domain/events.js';
import { changesBetween, nothing, type Shown } from '../../../src/domain/history/changes.js';
import { results, runs, type Kind } from '../../../src/domain/history/history.js';
import { limits } from '../../../src/limits.js';
import { randomHistories } from '../random-histories.js';

const shown = (metadata: Shown['metadata'], fields: Shown['fields'] = {}): Shown => ({ fields, metadata });
const parsed = (json: string) => shown(JSON.parse(json) as Record<string, unknown>);

describe('the changes in a history', () => {
  it('list each field that differs, with null for one that is missing', () => {
    const { changes } = changesBetween(
      shown(null, { a: 1, b: 'x', c: 2 }),
      shown(null, { a: 1, b: 'y', d: 3 }),
    );
    expect(changes).to.deep.equal([
      { field: 'b', from: 'x', to: 'y' },
      { field: 'd', from: null, to: 3 },
      { field: 'c', from: 2, to: null },
    ]);
  });

  it('list metadata by their top-level keys, whatever the keys are called', () => {
    const before = parsed('{"same":[1],"gone":true,"nested":{"a":1},"__proto__":1}');
    const after = parsed('{"same":[1],"nested":{"a":2},"":null,"__proto__":{"b":2},"toString":3}');
    expect(changesBetween(before, after)).to.deep.equal({
      changes: [
        { field: 'metadata.nested', from: { a: 1 }, to: { a: 2 } },
        { field: 'metadata.', from: null, to: null },
        { field: 'metadata.__proto__', from: 1, to: { b: 2 } },
        { field: 'metadata.toString', from: null, to: 3 },
        { field: 'metadata.gone', from: true, to: null },
      ],
      left_out: 0,
    });
  });

  it('tell no metadata from empty ones', () => {
    const { changes } = changesBetween(nothing, shown({}));
    expect(changes).to.deep.equal([{ field: 'metadata', from: null, to: {} }]);
    expect(changesBetween(shown({}), shown({})).changes).to.deep.equal([]);
    expect(changesBetween(shown({ a: 1 }), nothing).changes).to.deep.equal([
      { field: 'metadata.a', from: 1, to: null },
    ]);
  });

  it('cut long values and names, by characters, and say so', () => {
    const most = limits.historyValueLength;
    const whole = changesBetween(nothing, shown({ text: '😀'.repeat(most), list: ['x'.repeat(most - 4)] }));
    expect(whole.changes.map(({ shortened, to }) => [shortened, to])).to.deep.equal([
      [undefined, '😀'.repeat(most)],
      [undefined, ['x'.repeat(most - 4)]],
    ]);
    const key = 'k'.repeat(most);
    const after = shown({ text: '😀'.repeat(most + 1), list: ['x'.repeat(most - 3)], [key]: 1 });
    expect(changesBetween(nothing, after).changes).to.deep.equal([
      { field: 'metadata.text', from: null, to: `${'😀'.repeat(most)}…`, shortened: true },
      { field: 'metadata.list', from: null, to: `["${'x'.repeat(most - 3)}"…`, shortened: true },
      { field: `metadata.${key.slice('metadata.'.length)}…`, from: null, to: 1, shortened: true },
    ]);
  });

  it('list a limited number of keys, and count the others', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key ${n}`, n]));
    const { changes, left_out } = changesBetween(shown(many, { a: 1 }), shown({}, { a: 2 }));
    expect([changes.length, left_out]).to.deep.equal([
      1 + limits.historyMetadataKeys,
      100 - limits.historyMetadataKeys,
    ]);
  });

  it('stay small for the largest metadata', () => {
    const values = fc.dictionary(fc.string({ maxLength: 3_000 }), fc.jsonValue(), {
      maxKeys: 60,
      size: 'max',
    });
    fc.assert(
      fc.property(values, values, (one, other) => {
        const { changes } = changesBetween(shown(one), shown(other));
        expect(changes.length).to.be.at.most(limits.historyMetadataKeys);
        for (const { field, from, to } of changes) {
          for (const value of [field, from, to]) {
            const text = typeof value === 'string' ? value : JSON.stringify(value);
            expect(Array.from(text).length).to.be.at.most(limits.historyValueLength + 1);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('of all events, applied in their order, give the thing as it is, in any history', () => {
    fc.assert(
      fc.property(randomHistories(60), ({ events }) => {
        const byStream = new Map<string, LedgerEvent[]>();
        for (const event of events) {
          byStream.set(streamOf(event), [...(byStream.get(streamOf(event)) ?? []), event]);
        }
        for (const [stream, own] of byStream) {
          if (stream.startsWith('run-')) expectChanges(runs, own);
          if (stream.startsWith('result-')) expectChanges(results, own);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Empty metadata, which are a field of their own while they have no keys, are left out. */
function expectChanges<S, T extends EventType>({ decider, shown }: Kind<S, T>, events: LedgerEvent[]): void {
  let state = decider.initial;
  const changesFrom = (before: S, after: S) =>
    changesBetween(shown(before), shown(after)).changes.filter(({ field }) => field !== 'metadata');
  const fields = new Map<string, unknown>();
  for (const event of events) {
    const before = state;
    state = decider.evolve(before, event as LedgerEvent & Happened<T>);
    for (const { field, from, to } of changesFrom(before, state)) {
      expect(fields.get(field) ?? null).to.deep.equal(from);
      fields.set(field, to);
    }
  }
  const set = [...fields].filter(([, value]) => value !== null);
  const final = changesFrom(decider.initial, state).map(({ field, to }) => [field, to] as const);
  expect(new Map(set)).to.deep.equal(new Map(final));
}

/** The stream of the thing: an item is the begin of a result. */
function streamOf({
  stream,
  data,
  meta,
}: {
  stream: string;
  data: object;
  meta: { team_id: string };
}): string {
  if (!stream.startsWith('items-')) return stream;
  return streamName('result', meta.team_id, (data as { result_id: string }).result_id);
}
