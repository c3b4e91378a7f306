import { partitionOf } from '../../../src/domain/partition.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  branchBucket,
  branchStateIn,
  type BranchBucketDocument,
} from '../../../projections/history/branches.js';
import { placeIn } from '../../../projections/history/buckets.js';
import { stateIn, type TestBucketDocument } from '../../../projections/history/test-buckets.js';
import { linesOf, numberOf } from '../../../projections/history/lines.js';
import {
  digitsOf,
  partsOfListing,
  type Listing,
  type ListingDocument,
} from '../../../projections/history/listings.js';
import {
  blockBefore,
  blockId,
  entriesInBlock,
  type HistoryBlockDocument,
} from '../../../projections/history/history-blocks.js';
import type { FailureDocument } from '../../../projections/history/failure-documents.js';
import type { TestDocument } from '../../../projections/history/tests.js';
import { statusWords } from '../../../src/domain/results/result.js';
import { asMessage } from '../../../src/domain/messages/message.js';
import { hashOf } from '../../../src/domain/test-history/packed-entry.js';
import { lastOutcomes } from '../../../src/domain/test-history/test-history.js';
import { randomHistories } from '../../domain/random-histories.js';
import { runHistories } from '../../projections/statistics/run-histories.js';
import { expectedOf } from './expected-messages.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { bodyOf, openOutboxHarness, foldOutbox, renderOf, type FoldedOutbox } from './outbox-harness.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

/** Without those of groups and of the default branch (`group-messages.properties.test.ts`, `news.properties.test.ts`). */
function ownOf({ messages }: FoldedOutbox): MessageDocument[] {
  return messages.filter(isOwn);
}

function isOwn({ type }: Pick<MessageDocument, 'type'>): boolean {
  return !/^(group|main|digest)\.|^run\.incomplete$/.test(type);
}

type Placed = { branch: string | null; environment: string };

function isIn(entry: Placed, { branch, environment }: Listing): boolean {
  const isThere = environment === undefined || entry.environment === environment;
  return isThere && (branch === undefined || entry.branch === branch);
}

function isListed(
  listings: ReadonlyMap<string, ListingDocument>,
  { project_id, number }: TestDocument,
  list: Listing,
): boolean {
  const parts = partsOfListing(project_id, list, number + 1);
  return parts.map((id) => digitsOf(listings.get(id) ?? null)).join('')[number] === '1';
}

describe('the fold of the history, for any history', function () {
  it('makes one message of each failure, recovery, flakiness and completion, in log order', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(50), sizes, async ({ events }, batches) => {
        const messages = ownOf(await foldOutbox(events, batches));
        const found = messages.map(({ type, event_id, subject }) => ({ type, event_id, subject }));
        expect(found).to.deep.equal(
          expectedOf(events).messages.map(({ type, event_id, subject }) => ({ type, event_id, subject })),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('shows result, run and project as a GET showed them at the event', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(40), sizes, async ({ events }, batches) => {
        const messages = ownOf(await foldOutbox(events, batches));
        const expected = expectedOf(events).messages;
        (await renderOf(events, messages)).forEach((message, n) => {
          const body = bodyOf(message);
          expect(body.type).to.equal(message.type);
          expect(body.timestamp).to.equal(expected[n]!.at);
          expect(body.data, message.type).to.deep.equal(expected[n]!.data());
        });
      }),
      { numRuns: 20 },
    );
  });

  it('targets the webhooks that were subscribed and enabled at the event, and tells of each message with targets once', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const passing = openOutboxHarness(events);
        await passing.run(batches);
        const messages = ownOf(passing.passed());
        const expected = expectedOf(events).messages.map(({ targets }) => targets);
        expect(messages.map(({ targets }) => [...targets].sort())).to.deep.equal(expected);
        expect(messages.map(({ outgoing }) => outgoing)).to.deep.equal(
          messages.map(({ targets, team_id }) => (targets.length > 0 ? partitionOf(team_id) : null)),
        );
        const outgoing = messages.filter((message) => message.outgoing !== null);
        const told = passing.told().filter(isOwn);
        expect(told).to.deep.equal(outgoing.map(asMessage));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps each test with its entries and branches', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const { documents } = await foldOutbox(events, batches);
        const { tests } = expectedOf(events);
        const of = <T>(collection: string) =>
          new Map(
            [...documents]
              .filter(([key]) => key.startsWith(`${collection}/`))
              .map(([key, document]) => [key.slice(collection.length + 1), document as unknown as T]),
          );
        const buckets = of<TestBucketDocument>('test_buckets');
        const listed = [...of<TestDocument>('tests')].filter(([, { listed_in }]) => listed_in !== null);
        expect(
          Object.fromEntries(
            listed.map(([id, test]) => {
              const stateOf = (number: number) => {
                const { bucket, slot } = placeIn(test.project_id, number);
                return stateIn(buckets.get(bucket) ?? null, slot);
              };
              const { entries } = stateOf(test.number);
              const lines = linesOf(test).map(({ environment, number }) => {
                const state = stateOf(number);
                const own = (environment === '' ? (state.plain ?? state) : state).entries;
                return [environment, { entries: own, outcomes: lastOutcomes(state.history) }] as const;
              });
              return [id, { name: test.name, entries, lines: Object.fromEntries(lines) }];
            }),
          ),
        ).to.deep.equal(
          Object.fromEntries(
            [...tests].map(([id, { name, entries }]) => [
              id,
              {
                name,
                entries: entries.length,
                lines: Object.fromEntries(
                  [...new Set(entries.map(({ environment }) => environment))].map((environment) => {
                    const own = entries.filter((entry) => entry.environment === environment);
                    const outcomes = own
                      .toReversed()
                      .slice(0, 20)
                      .map(({ word }) => word);
                    return [environment, { entries: own.length, outcomes }];
                  }),
                ),
              },
            ]),
          ),
        );
        const blocks = of<HistoryBlockDocument>('history_blocks');
        const failures = of<FailureDocument>('failures');
        const listed_entries = listed.flatMap(([test_id, { project_id, number }]) => {
          const { bucket, slot } = placeIn(project_id, number);
          const found: { test_id: string }[] = [];
          for (let n = stateIn(buckets.get(bucket) ?? null, slot).block; n !== null;) {
            const block = blocks.get(blockId(bucket, n))!;
            for (const { result_id, branch, environment, status } of entriesInBlock(block, slot, undefined)) {
              const known = status === 'Failed' && failures.get(result_id)!.known;
              const entry = { test_id, result_id, branch, environment, status: statusWords[status], known };
              found.push(entry);
            }
            n = blockBefore(block, slot, undefined);
          }
          return found;
        });
        const entries = [...tests].flatMap(([test_id, test]) =>
          test.entries
            .map(({ result_id, branch, environment, word, known }) => ({
              test_id,
              result_id,
              branch,
              environment: environment === '' ? null : hashOf(environment),
              status: word,
              known,
            }))
            .toReversed(),
        );
        // The tests in any order, the entries of each in theirs.
        const byTest = (all: readonly { test_id: string }[]) =>
          all.toSorted((one, other) =>
            one.test_id < other.test_id ? -1 : one.test_id > other.test_id ? 1 : 0,
          );
        expect(byTest(listed_entries)).to.deep.equal(byTest(entries));
        const numbers = of<TestDocument>('tests');
        const branchBuckets = of<BranchBucketDocument>('branch_buckets');
        const listings = of<ListingDocument>('listings');
        // Each list that any test is in, and each test: those without results there are not in it.
        const lists = new Map<string, Listing>();
        for (const { entries: all } of tests.values())
          for (const { branch, environment } of all)
            for (const each of [
              { branch },
              { environment, branch },
              ...(environment === '' ? [] : [{ environment }]),
            ])
              lists.set(JSON.stringify(each), each);
        for (const list of lists.values())
          for (const [test_id, test] of numbers) {
            const own = (tests.get(test_id)?.entries ?? []).filter((entry) => isIn(entry, list));
            const what = `${test_id} ${JSON.stringify(list)}`;
            expect(isListed(listings, test, list), what).to.equal(own.length > 0);
            const { environment = '', branch } = list;
            const number = numberOf(test, environment);
            if (branch === undefined || list.environment === '' || number === null) continue;
            const place = placeIn(test.project_id, number);
            const bucket = branchBuckets.get(branchBucket(place, branch)) ?? null;
            expect(branchStateIn(bucket, place.slot).entries, what).to.equal(own.length);
          }
      }),
      { numRuns: 30 },
    );
  });

  it('appends each transition once, wherever it dies, with the same result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          randomHistories(60).map(({ events }) => events),
          runHistories,
        ),
        fc.array(
          fc.record({ appends: fc.nat(4), commits: fc.nat(6), batches: sizes, goesOn: fc.boolean() }),
          { maxLength: 5 },
        ),
        async (events, lives) => {
          const whole = await foldOutbox(events);
          const passing = openOutboxHarness(events);
          for (const { appends, commits, batches, goesOn } of lives) {
            Object.assign(passing.failing, { appends, commits });
            await passing.run(batches, { goesOn }).catch((error: unknown) => {
              const { cause } = error as Error;
              if (!/died at/.test(`${String(error)} ${String(cause)}`)) throw error;
            });
          }
          Object.assign(passing.failing, { appends: Infinity, commits: Infinity });
          await passing.run([7], { goesOn: true });
          const { messages, transitions, documents } = passing.passed();
          expect(messages).to.deep.equal(whole.messages);
          expect(documents).to.deep.equal(whole.documents);
          const ids = (all: typeof transitions) => all.map(({ stream, id }) => `${stream} ${id}`).sort();
          expect(ids(transitions)).to.deep.equal(ids(whole.transitions));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('appends nothing and tells of nothing when deleted views are rebuilt', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, batches) => {
        const passing = openOutboxHarness(events);
        await passing.run(batches);
        passing.told();
        const before = passing.passed();
        const appends = passing.asked();
        passing.forget();
        await passing.run([5]);
        expect(passing.passed()).to.deep.equal(before);
        expect(passing.asked()).to.equal(appends);
        expect(passing.told()).to.deep.equal([]);
      }),
      { numRuns: 20 },
    );
  });
});
