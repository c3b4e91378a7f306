import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ResultDocument } from '../../../projections/records/run-documents.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { anchorOf, groupIdOf } from '../../../src/domain/failures/anchor.js';
import { understoodResult } from '../../../src/domain/understood.js';
import { randomHistories } from '../../domain/random-histories.js';
import { modelOf } from '../../projections/model.js';
import { foldOutbox, openOutboxHarness } from './outbox-harness.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

/** What is said of each completion: the groups of the results that count, but for those of which an earlier one told. */
function expectedGroups(events: readonly LedgerEvent[]): object[] {
  const told = new Map<string, Set<string>>();
  return events.flatMap(({ type, data, meta }, n) => {
    if (type !== 'RunCompleted') return [];
    const groups = new Map<string, { results: number; tests: Set<string> }>();
    for (const [key, document] of modelOf(events.slice(0, n + 1))) {
      const result = document as unknown as ResultDocument;
      if (!key.startsWith('results/') || result.test_run_id !== data.run_id) continue;
      const { replaced_by = [] } = document as { replaced_by?: string[] };
      if (result.status !== 'Failed' || result.superseded_by !== null || replaced_by.length > 0) continue;
      const anchor = anchorOf(understoodResult(result.metadata, result.error_message), result.test_name);
      const id = groupIdOf(result.project_id, anchor);
      const group = groups.get(id) ?? { results: 0, tests: new Set() };
      groups.set(id, { results: group.results + 1, tests: group.tests.add(result.test_name) });
    }
    const before = told.get(data.run_id) ?? new Set();
    told.set(data.run_id, new Set([...before, ...groups.keys()]));
    return [...groups]
      .filter(([id]) => !before.has(id))
      .map(([group, { results, tests }]) => ({
        group,
        results,
        tests: tests.size,
        run: data.run_id,
        at: meta.at,
      }))
      .sort(byGroup);
  });
}

function byGroup(one: { group: string; at: string }, other: { group: string; at: string }): number {
  return one.group < other.group ? -1 : 1;
}

function shown({ about, at }: MessageDocument) {
  if (about.kind !== 'group') throw new Error(`a message of a group is about a ${about.kind}`);
  const sum = (field: 'results' | 'tests') => about.failed.parts.reduce((all, part) => all + part[field], 0);
  const { id: group } = about.failed.group;
  return { group, results: sum('results'), tests: sum('tests'), run: about.run_id, at };
}

describe('the messages of the groups of a run, for any history', () => {
  it('are one for each group that is new at a completion, with its results that count', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const { messages } = await foldOutbox(events, batches);
        const found = messages.filter(({ type }) => type === 'group.failed').map(shown);
        const all = (groups: object[]) => groups.map((each) => JSON.stringify(each)).sort();
        expect(all(found)).to.deep.equal(all(expectedGroups(events)));
      }),
      { numRuns: 25 },
    );
  });

  it('have the same ids and places in any batches, one each, in the order of the log', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const { messages } = await foldOutbox(events, batches);
        const ids = messages.map(({ event_id }) => event_id);
        expect(new Set(ids).size).to.equal(ids.length);
        const places = messages.map(({ place }) => place);
        expect(new Set(places).size).to.equal(places.length);
        const whole = openOutboxHarness(events);
        await whole.run();
        expect(whole.passed().messages).to.deep.equal(messages);
        for (const { event_id, type } of messages) {
          expect(event_id).to.match(type === 'group.failed' ? /^message_/ : /^event_/);
        }
      }),
      { numRuns: 10 },
    );
  });
});
