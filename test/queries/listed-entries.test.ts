import { expect } from 'chai';
import * as fc from 'fast-check';
import { history } from '../../projections/history/history.js';
import { testDocuments } from '../../projections/history/tests.js';
import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import { START } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { keyOfEnvironment } from '../../src/domain/environment.js';
import { hashOf } from '../../src/domain/test-history/packed-entry.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { typedViews } from '../../src/projecting/typed-views.js';
import {
  entriesAround,
  listedEntries,
  newestOfLine,
  type EntrySelection,
} from '../../src/queries/listed-entries.js';
import { openHistoryFold } from '../../src/webhooks/outbox/history-fold.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { embeddedStores } from '../stores.js';
import { openMemoryLog } from '../webhooks/outbox/memory-log.js';

const BRANCHES = ['main', 'side', null];
/** More than a block of a page has. */
const RESULTS = 1_500;

type Entry = { result_id: string; branch: string | null; environment: string | null; status: string };

const ENVIRONMENTS = [null, null, { os: 'linux' }, { os: 'mac' }];

const selections: EntrySelection[] = [undefined, ...BRANCHES].flatMap((branch) =>
  [undefined, '', 'os=linux', 'os=mac', 'os=other'].map((environment) => ({ branch, environment })),
);

function isIn({ branch, environment }: EntrySelection) {
  const hash = environment && hashOf(environment);
  return (entry: Entry): boolean =>
    (branch === undefined || entry.branch === branch) &&
    (environment === undefined || entry.environment === (hash || null));
}

/** A history of few tests over several blocks; `model` has the entries of each test, oldest first. */
function longHistory(random: () => number) {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  const model = new Map<string, Entry[]>();
  const listed = (name: string) => {
    const known = model.get(name) ?? [];
    model.set(name, known);
    return known;
  };
  type Made = { place: ReturnType<typeof ledger.result>; entry: Entry; name: string };
  const made: Made[] = [];
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  for (let n = 0; n < RESULTS; n += 1) {
    // Of the last test, the first and the last blocks have entries only.
    const name = n < 20 || n > RESULTS - 20 ? pick(['a', 'b', 'rare']) : pick(['a', 'b', 'c']);
    const branch = name === 'c' ? 'main' : pick(BRANCHES);
    const status = pick(['Passed', 'Failed', 'Skipped'] as const);
    const environment = pick(ENVIRONMENTS);
    const metadata = { ...(branch !== null && { branch }), ...(environment && { environment }) };
    const place = ledger.result(project, status, { name, metadata });
    const hash = environment && hashOf(keyOfEnvironment(environment));
    const entry = { result_id: place.id, branch, environment: hash, status };
    listed(name).push(entry);
    made.push({ place, entry, name });
    const what = random();
    if (what < 0.05) {
      const [one] = made.splice(Math.floor(random() * made.length), 1);
      const entries = listed(one!.name);
      entries.splice(entries.indexOf(one!.entry), 1);
      ledger.deleteResult(one!.place);
    } else if (what < 0.1) {
      const one = pick(made);
      const next = one.entry.status === 'Failed' ? 'Passed' : 'Failed';
      const entries = listed(one.name);
      entries.splice(entries.indexOf(one.entry), 1);
      one.entry = { ...one.entry, status: next };
      entries.push(one.entry);
      ledger.updateResult(one.place, { status: next });
    }
  }
  return { ledger, project, model };
}

describe('the entries of a test over many blocks', () => {
  const stores = embeddedStores('each test', { log: false });

  /** The views after these events, folded in batches of 100. */
  async function foldedViews(events: readonly LedgerEvent[]) {
    const log = { ...openMemoryLog(events), head: async () => events.at(-1)!.position };
    await stores.writer.prepare(history, 1);
    const open = openHistoryFold({ log, views: stores.writer, state: stores.state, clock: stores.clock });
    const fold = open({ build: 1, epoch: 1 });
    let from = START;
    for (let at = 0; at < events.length; at += 100) {
      const page = events.slice(at, at + 100);
      const to = page.at(-1)!.position;
      await fold({ events: page, partitions: ALL_PARTITIONS, from, to });
      from = to;
    }
    return typedViews(stores.reader, history);
  }

  it('are right after more commits of one block than its entries can name', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const result = ledger.result(project, 'Passed', { name: 'pays' });
    for (let n = 0; n < 7_300; n += 1) {
      const status = n % 2 === 0 ? 'Failed' : 'Passed';
      ledger.updateResult(result, { status, metadata: { commit: `c${n}`, branch: `b${n % 2}` } });
    }
    const views = await foldedViews(ledger.events);
    const [test] = await views.get(testDocuments, [testIdOf(project.id, 'pays')]);
    const only = { result_id: result.id, branch: 'b1', environment: null, status: 'Passed' };
    for (const branch of [undefined, 'b1']) {
      const found = await listedEntries(views, test!, { branch }, { offset: 0, limit: 9 });
      expect(found).to.deep.equal({ items: [only], total: 1 });
    }
  }).timeout(60_000);

  it('are those of a plain list, in pages, on each branch, in each environment and around each result', async function () {
    const seeded = fc.integer({ min: 1, max: 2 ** 31 - 2 });
    await fc.assert(
      fc.asyncProperty(fc.noShrink(seeded), async (seed) => {
        let state = seed;
        // Lehmer's generator: thousands of draws of fast-check would take most of the time.
        const random = () => (state = (state * 48_271) % (2 ** 31 - 1)) / (2 ** 31 - 1);
        const { ledger, project, model } = longHistory(random);
        const views = await foldedViews(ledger.events);
        for (const [name, entries] of model) {
          const [test] = await views.get(testDocuments, [testIdOf(project.id, name)]);
          for (const selection of selections) {
            const isWanted = isIn(selection);
            const wanted = entries.filter(isWanted).toReversed();
            for (const offset of [0, 7, Math.floor(wanted.length / 2), wanted.length - 1, wanted.length]) {
              const part = { offset: Math.max(0, offset), limit: 9 };
              const found = await listedEntries(views, test!, selection, part);
              const items = wanted.slice(part.offset, part.offset + 9);
              expect(found).to.deep.equal({ items, total: wanted.length });
            }
            for (const n of [0, 3, Math.floor(wanted.length / 2), wanted.length - 1]) {
              const result = wanted[n]?.result_id;
              if (result === undefined) continue;
              const found = await entriesAround(views, test!, selection, { result, limit: 9 });
              const items = wanted.slice(Math.max(0, n - 4), n + 5);
              expect(found).to.deep.equal({ items, total: wanted.length });
            }
            const { environment } = selection;
            if (environment !== undefined) {
              const found = await newestOfLine(views, test!, { ...selection, environment }, 9);
              expect(found).to.deep.equal(wanted.slice(0, 9));
            }
            const other = entries.find((entry) => !isWanted(entry));
            if (other !== undefined) {
              const part = { result: other.result_id, limit: 9 };
              const found = await entriesAround(views, test!, selection, part);
              const at = entries.indexOf(other);
              const on = (all: readonly Entry[]) => all.filter(isWanted).toReversed();
              const items = [...on(entries.slice(at)).slice(-4), ...on(entries.slice(0, at)).slice(0, 5)];
              expect(found).to.deep.equal({ items, total: wanted.length });
            }
            const none = await entriesAround(views, test!, selection, { result: project.id, limit: 9 });
            expect(none).to.equal(null);
          }
        }
      }),
      { numRuns: 1 },
    );
  });
});
