import { expect } from 'chai';
import * as fc from 'fast-check';
import type { CauseDocument, CauseTestDocument } from '../../projections/causes/cause-documents.js';
import { groupId } from '../../projections/history/failure-scopes.js';
import type { KnownFailureDocument } from '../../projections/history/known-failures.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { groupsIn } from '../domain/cause-changes.js';
import { randomHistories } from '../domain/random-histories.js';
import { openOutboxHarness } from '../webhooks/outbox/outbox-harness.js';
import { causesOf } from './causes.model.js';
import { unlessRefused } from '../domain/unless-refused.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21);

type Move = {
  kind: string;
  status: 'Failed' | 'Passed';
  name: string;
  error_message: string;
  late: number;
  which: number;
};

const names = ['pays', 'refunds'];
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(
    'run',
    'run',
    'run',
    'result',
    'retry',
    'correct',
    'delete',
    'fixed',
    'open',
    'known',
    'alone',
    'end',
  ),
  status: fc.constantFrom('Failed', 'Failed', 'Passed'),
  name: fc.constantFrom(...names),
  error_message: fc.constantFrom('no', 'no', 'never'),
  late: fc.constantFrom(0, 0, 1, 4, 30),
  which: fc.nat(7),
});

/** Hours between a command and the next one: a few seem to be at once, others are a weekend or months apart. */
const jumps = fc.array(fc.constantFrom(0, 1, 7, 24, 40, 72, 73, 90, 200, 2_000), {
  minLength: 1,
  maxLength: 9,
});

const histories = fc
  .oneof(
    fc.tuple(fc.array(move, { maxLength: 40, size: 'max' }).map(performed), jumps),
    fc.tuple(
      randomHistories(60).map(({ events }) => events),
      jumps,
    ),
  )
  .map(([events, hours]) => stretched(events, hours));

function performed(moves: readonly Move[]): LedgerEvent[] {
  const ledger = openMemoryLedger();
  const projects = [ledger.project(ledger.team()), ledger.project(ledger.team())];
  const results: ReturnType<typeof ledger.result>[] = [];
  const perform = ({ kind, status, name, error_message, late, which }: Move) => {
    const project = projects[which < 6 ? 0 : 1]!;
    const result = results.at(-1 - (which % Math.max(results.length, 1)));
    const own = ledger.events.filter(({ data }) => 'project_id' in data && data.project_id === project.id);
    const group = groupsIn({ events: own }).at(-1 - (which % 3));
    if (kind === 'run') {
      const finished_at = new Date(START + (ledger.events.length - late) * 1_000).toISOString();
      const item = { status, error_message, finished_at };
      const items = [{ ...item, test_name: name }, ...(which % 2 ? [] : [{ ...item, test_name: 'other' }])];
      return results.push(...ledger.submit(project, items).results);
    }
    if (kind === 'result') return results.push(ledger.result(project, status, { name }));
    if (kind === 'alone') return ledger.setKnownFailure(project, name, { seconds: 3 });
    if (kind === 'end') return ledger.endKnownFailure(project, name);
    if (result !== undefined) {
      if (kind === 'retry') return results.push(ledger.retry(result, status));
      if (kind === 'correct') return ledger.updateResult(result, { status, error_message });
      if (kind === 'delete') return ledger.deleteResult(result);
    }
    if (group === undefined) return;
    if (kind === 'fixed') return ledger.changeCause(project, group, { state: 'fixed', owner: name });
    if (kind === 'open') return ledger.changeCause(project, group, { state: 'open', note: name }, 'fixed');
    if (kind === 'known') return ledger.setKnownFailure(project, name, { group });
  };
  for (const each of moves) unlessRefused(() => perform(each));
  return ledger.events;
}

/** The same events, further apart: each second of the ledger is some hours. */
function stretched(events: readonly LedgerEvent[], hours: readonly number[]): LedgerEvent[] {
  const sums = [0];
  /** Times that lie far ahead stay so, with years of four digits. */
  const until = (seconds: number): number => {
    if (seconds <= 0) return seconds * 1_000;
    if (seconds > events.length) return until(events.length) + (seconds - events.length) * 1_000;
    while (sums.length <= seconds) sums.push(sums.at(-1)! + hours[sums.length % hours.length]! * HOUR + 1);
    return sums[seconds]!;
  };
  const instants = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;
  const moved = (text: string) => {
    const seconds = (Date.parse(text.slice(1, -1)) - START) / 1_000;
    return `"${new Date(START + until(Math.floor(seconds))).toISOString()}"`;
  };
  return JSON.parse(JSON.stringify(events).replace(instants, moved)) as LedgerEvent[];
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

type Passed = ReturnType<ReturnType<typeof openOutboxHarness>['passed']>;

function causesIn({ documents, transitions }: Passed) {
  const of = <T>(collection: string) =>
    [...documents].flatMap(([key, document]): [string, T][] =>
      key.startsWith(`${collection}/`) ? [[key.slice(collection.length + 1), document as unknown as T]] : [],
    );
  const tests = of<CauseTestDocument>('cause_tests');
  const known = of<KnownFailureDocument>('known_failures');
  return Object.fromEntries(
    of<CauseDocument>('causes').map(([id, cause]) => {
      const { state, since, last_failed_at, longest_away_ms, owner, note, ticket, group } = cause;
      const own = transitions.filter(({ stream }) => stream.endsWith(`.${group}`));
      expect(own.map(({ revision }) => revision)).to.deep.equal(own.map((_, n) => n));
      expect(cause.transitions).to.equal(own.length);
      const through = known.filter(([, one]) => one.group === group).map(([test]) => test);
      expect(cause.known?.tests ?? 0).to.equal(through.length);
      return [
        id,
        {
          state,
          since,
          last_failed_at,
          longest_away_ms,
          owner,
          note,
          ticket,
          transitions: own
            // Those of the default branch: `test/webhooks/outbox/news.properties.test.ts`.
            .filter(({ type }) => !/^Group(WentAway|Returned)$/.test(type))
            .map(({ type, data, meta }) => ({ type, data, cause: meta.causation_id })),
          tests: Object.fromEntries(
            tests.flatMap(([, test]) => (test.cause === id ? [[test.test_id, test.results]] : [])),
          ),
          known: through.sort(),
        },
      ];
    }),
  );
}

describe('causes, for any history', () => {
  it('stand as a model says that looks at every cause after every event', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const harness = openOutboxHarness(events);
        await harness.run(batches);
        const causes = causesIn(harness.passed());
        for (const { state, transitions } of Object.values(causes))
          for (const each of [state, ...transitions.map(({ type }) => type)]) seen.add(each);
        const expected = [...causesOf(events)].map(([key, cause]) => [idOf(key), cause] as const);
        expect(causes).to.deep.equal(Object.fromEntries(expected));
      }),
      { numRuns: 200 },
    );
    expect([...seen].sort()).to.deep.equal([
      'CauseCameBack',
      'CauseFixed',
      'GroupAppeared',
      'came_back',
      'fixed',
      'open',
    ]);
  });

  it('stand the same after a rebuild, which says nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const harness = openOutboxHarness(events);
        await harness.run(batches);
        const live = harness.passed();
        harness.forget();
        await harness.run();
        const rebuilt = harness.passed();
        expect(rebuilt.transitions).to.deep.equal(live.transitions);
        const texts = ({ documents }: Passed) =>
          Object.fromEntries([...documents].map(([key, document]) => [key, JSON.stringify(document)]));
        expect(texts(rebuilt)).to.deep.equal(texts(live));
      }),
      { numRuns: 20 },
    );
  });

  it('have each cause that is not fixed in one list of those that may be due, and no list without any', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (events) => {
        const harness = openOutboxHarness(events);
        await harness.run();
        const { documents } = harness.passed();
        const of = (name: string) => [...documents].filter(([key]) => key.startsWith(`${name}/`));
        const lists = of('due_causes').map(([key, list]) => [key, list['groups'] as string[]] as const);
        expect(lists.every(([, groups]) => groups.length > 0)).to.equal(true);
        for (const [key, cause] of of('causes')) {
          const group = cause['group'] as string;
          const own = lists.filter(
            ([list, groups]) => groups.includes(group) && key === `causes/${groupId(projectOf(list), group)}`,
          );
          if (cause['state'] !== 'fixed') expect(own, key).not.to.deep.equal([]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** Of a key of the model: the project and the group. */
function idOf(key: string): string {
  const [project, group] = key.split('#') as [string, string];
  return groupId(project, group);
}

function projectOf(list: string): string {
  return list.slice('due_causes/'.length).split('#')[0]!;
}
