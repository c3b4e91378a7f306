import { expect } from 'chai';
import * as fc from 'fast-check';
import { records } from '../../projections/records/records.js';
import { bulkOriginOf, itemId } from '../../src/domain/ids.js';
import { randomHistories } from '../domain/random-histories.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { fold, runOf, type Folded } from './folding.js';
import { shownDocuments, shownModel } from './shown-documents.js';
import { modelOf } from './model.js';

const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

describe('the read models of the ledger', () => {
  it('equal a naive model for any history, in batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const { texts } = await fold(events, batches);
        expect(await shownDocuments(texts, events)).to.deep.equal(shownModel(events));
      }),
      { numRuns: 40 },
    );
  });

  it('are the same byte for byte for batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(80), sizes, async ({ events }, batches) => {
        const one = inOrder(await fold(events));
        expect(inOrder(await fold(events, batches))).to.equal(one);
        expect(inOrder(await fold(events, [events.length]))).to.equal(one);
      }),
      { numRuns: 15 },
    );
  });

  it('keep the totals that a count of the documents gives', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const { texts, totals } = await fold(events, batches);
        const counted = new Map<string, number>();
        for (const { name, totals: sets = [] } of records.collections) {
          for (const [key, text] of texts) {
            if (!key.startsWith(`${name}/`)) continue;
            const document = JSON.parse(text) as Record<string, unknown>;
            for (const fields of sets) {
              const total = `${name}/${fields.join()}/${fields.map((field) => document[field]).join()}`;
              counted.set(total, (counted.get(total) ?? 0) + 1);
            }
          }
        }
        expect(new Map([...totals].filter(([, n]) => n !== 0))).to.deep.equal(counted);
        expect(counted.size).to.be.at.least(2);
      }),
      { numRuns: 20 },
    );
  });

  it('cover the cases that the random histories are meant to reach', () => {
    // Else the properties above would say less than they seem to.
    const seen = new Set<string>();
    fc.assert(
      fc.property(randomHistories(80), ({ events }) => {
        const model = [...modelOf(events).values()] as Record<string, unknown>[];
        for (const { type } of events) seen.add(type);
        for (const document of model) {
          if (document['superseded_by'] != null) seen.add('superseded');
          if (document['retry_of'] != null && document['superseded_by'] != null) seen.add('superseded twice');
          if (document['replaced_by'] !== undefined) seen.add('replaced');
          if ((document['replaced_by'] as string[] | undefined)?.[1] !== undefined)
            seen.add('replaced twice');
          if (document['replaced_by'] !== undefined && document['superseded_by'] !== null)
            seen.add('superseded and replaced');
          if (document['outcome'] != null) seen.add(`outcome ${document['outcome'] as string}`);
          if (JSON.stringify(document['counts']) !== JSON.stringify(document['standing']))
            seen.add('standing');
        }
        for (const { type, data } of events) {
          if (type === 'ResultSubmitted' && data.replaced_by !== undefined) seen.add('replaced at once');
          if (type === 'ResultDeleted' && data.replaces !== undefined) seen.add('replacing result deleted');
          if (type === 'RunCompleted' && data.reason === 'shards' && data.completion > 1)
            seen.add('completed again');
          if (type === 'ResultCreated' && data.retry_of?.split('_').length === 3) seen.add('item retried');
          if (type !== 'ResultDeleted' || data.supersedes === undefined) continue;
          if (data.supersedes.length > 1) seen.add('deleted item that superseded several');
          const former = model.find(
            (each) =>
              each['test_result_id'] ===
              itemId(bulkOriginOf(data.result_id)!.submission_id, data.supersedes![0]!),
          );
          if (former !== undefined && former['superseded_by'] === null) seen.add('item restored');
          if (former !== undefined && former['superseded_by'] !== null)
            seen.add('item retried once restored');
        }
        const superseded = new Set(model.map((document) => document['superseded_by']));
        const created = events.filter(({ type }) => type === 'ResultCreated');
        const again = created.map(({ data }) => (data as { retry_of: string | null }).retry_of);
        if (again.some((id, at) => id !== null && again.indexOf(id) !== at))
          seen.add('retried after a deletion');
        if (superseded.size > 2) seen.add('several superseded');
      }),
      { numRuns: 200, seed: 7 },
    );
    expect([...seen]).to.include.members([
      'ResultRetryClaimed',
      'ResultVoided',
      'ResultDeleted',
      'KnownFailureEnded',
      'RunReturnedToPending',
      'ProjectStatusChanged',
      'KeyRevoked',
      'superseded',
      'superseded twice',
      'several superseded',
      'standing',
      'retried after a deletion',
      'outcome failed',
      'outcome passed',
      'outcome skipped',
      'ResultSubmitted',
      'item retried',
      'item restored',
      'item retried once restored',
      'deleted item that superseded several',
      'replaced',
      'replaced twice',
      'replaced at once',
      'superseded and replaced',
      'replacing result deleted',
      'completed again',
    ]);
  });

  it('have no documents of teams, claims and void ids, and of keys in the audit alone', () => {
    const ledger = openMemoryLedger();
    const team = ledger.team();
    ledger.createKey(team, 'viewer', 'owner');
    const run = ledger.run(ledger.project(team));
    const former = ledger.result(run, 'Failed');
    ledger.claimRetry(former);
    ledger.claimRetry(former);
    const nothing = ledger.events.filter((event) => records.touches(event).length === 0);
    expect(nothing.map(({ type }) => type)).to.deep.equal([
      'TeamCreated',
      'ResultRetryClaimed',
      'ResultVoided',
      'ResultRetryClaimed',
    ]);
  });

  it('announce every document that they touch, and ignore unknown events', async () => {
    const ledger = openMemoryLedger();
    ledger.run(ledger.project(ledger.team()));
    const [first] = ledger.events;
    const tomorrow = { ...first!, type: 'SomethingOfTomorrow', data: {} } as never;
    expect(records.touches(tomorrow)).to.deep.equal([]);
    expect(inOrder(await fold([...ledger.events, tomorrow]))).to.equal(inOrder(await fold(ledger.events)));
  });

  it('keep the latest instant of a run when an event with an earlier instant follows', async () => {
    const ledger = openMemoryLedger();
    const run = ledger.run(ledger.project(ledger.team()));
    ledger.updateRun(run, { status: 'Running' });
    const { active_at } = await runOf(ledger.events, run);
    ledger.result(run, 'Passed');
    ledger.updateRun(run, { label: 'weekly' });
    const [first] = ledger.events;
    // Requests that are resumed carry the instant of their first try.
    const late = ledger.events
      .slice(-2)
      .map((event) => ({ ...event, meta: { ...event.meta, at: first!.meta.at } }));
    const { active_at: still, label } = await runOf([...ledger.events.slice(0, -2), ...late], run);
    expect([still, label]).to.deep.equal([active_at, 'weekly']);
  });
});

/** All documents and totals as one text. */
function inOrder({ texts, totals }: Folded): string {
  const kept = [...totals].filter(([, n]) => n !== 0);
  return [...texts, ...kept]
    .map((entry) => JSON.stringify(entry))
    .sort()
    .join('\n');
}
