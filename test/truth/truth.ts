/**
 * The property: for any history, the API says what the models say that keep everything. The histories are projects of one
 * server, so that a thousand of them take a minute.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openToInspect } from '../../src/adapters/open.js';
import { categories } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { openFeed } from '../../src/log/feed.js';
import { givenProject } from '../http/given.js';
import type { OwnServer, Team } from '../kit/server.js';
import { expectedFrom } from './expected.js';
import { moves, type Move } from './moves.js';
import { checkPages } from './pages.js';
import { perform } from './perform.js';
import { saidByApi, type Said } from './said.js';

export type Seen = Record<string, number>;

/** Runs this many histories, some side by side, the examples first. Returns how often each verdict was compared. */
export async function checkHistories(
  server: OwnServer,
  {
    histories,
    withinMs,
    examples = [],
  }: { histories: number; withinMs: number; examples?: readonly (readonly Move[])[] },
): Promise<Seen> {
  const closing: (() => Promise<void> | void)[] = [];
  const stores = await openToInspect(server.config, (close) => void closing.unshift(close));
  const feed = openFeed(stores!.log);
  const seen: Seen = {};
  try {
    const lanes = Math.min(LANES, histories);
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        const team = await server.newTeam();
        const numRuns = Math.ceil((histories - lane) / lanes);
        await fc.assert(
          fc.asyncProperty(moves, fc.nat(1_000), async (all, pick) => {
            const after = await feed.head();
            const project = await givenProject(team.owner);
            await perform(team.owner, project, all);
            const said = await saidByApi(team.owner, project);
            const facts = expectedFrom(await eventsAfter(after, team));
            compare(said, facts.said);
            const as = { api: team.owner, team: team.id };
            const claims = await checkPages(as, project, facts, pick);
            note(seen, facts.said, claims);
          }),
          // Before the test ends: after a failure, the shortest history that was found is shown.
          {
            numRuns,
            examples: examples.flatMap((all, n): [Move[], number][] =>
              n % lanes === lane ? [[[...all], 0]] : [],
            ),
            interruptAfterTimeLimit: withinMs,
            markInterruptAsFailure: true,
          },
        );
      }),
    );
  } finally {
    for (const close of closing) await close();
  }
  return seen;

  async function eventsAfter(after: string, { id }: Team): Promise<LedgerEvent[]> {
    const events: LedgerEvent[] = [];
    const filter = { streams: categories.map((category) => `${category}-${id}.`) };
    for (let position = after; ;) {
      const page = await feed.read({ after: position, filter });
      events.push(...(page.events as LedgerEvent[]));
      position = page.position;
      if (page.caughtUp) return events;
    }
  }
}

/** Most of the time, a history waits for its server. */
const LANES = 4;

function compare(said: Said, expected: Said): void {
  for (const [id, { gate }] of Object.entries(expected.runs)) {
    if (gate === null) said.runs[id]!.gate = null;
  }
  expect(said.runs).to.deep.equal(expected.runs);
  expect(said.tests).to.deep.equal(expected.tests);
  for (const [id, row] of Object.entries(expected.rows)) if (row === null) delete said.rows[id];
  expect(said.rows).to.deep.equal(
    Object.fromEntries(Object.entries(expected.rows).filter(([, row]) => row !== null)),
  );
}

/** A property that never meets a flaky test says nothing about flaky tests. */
function note(seen: Seen, { runs, tests, rows }: Said, claims: number): void {
  const add = (word: string, times = 1) => (seen[word] = (seen[word] ?? 0) + times);
  add('claim of a page', claims);
  for (const { outcome, comparison, gate } of Object.values(runs)) {
    add(`outcome ${outcome}`);
    if (gate !== null) add(`gate ${gate.gate}`);
    for (const reason of gate?.reasons ?? []) add(`gate failed by ${reason}`);
    add(comparison.passed_over?.reason ?? (comparison.baseline === null ? 'no baseline' : 'baseline'));
    for (const kind of ['new_failures', 'still_failing', 'fixed', 'removed'] as const)
      add(kind, comparison[kind]);
    add('flaky result', comparison.counts.flaky);
  }
  for (const { state, lines } of Object.values(tests)) {
    add(`test ${state}`);
    for (const line of lines) add(`line ${line.state}`);
  }
  for (const row of Object.values(rows)) {
    add(row === null ? 'open row' : row.last_passed === null ? 'failed always' : 'passed before');
  }
}

const reasons = ['new_failures', 'failures', 'removed', 'min_tests', 'empty', 'incomplete'];

/** Of what there must be some among the verdicts. */
export const allVerdicts = [
  'outcome failed',
  'outcome passed',
  'outcome skipped',
  'outcome null',
  'gate passed',
  'gate null',
  ...reasons.map((reason) => `gate failed by ${reason}`),
  'no baseline',
  'baseline',
  'set_aside',
  'empty',
  'incomplete',
  'too_small',
  'new_failures',
  'still_failing',
  'fixed',
  'removed',
  'flaky result',
  'test stable',
  'test flaky',
  'test broken',
  'line stable',
  'line flaky',
  'line broken',
  'failed always',
  'passed before',
  'claim of a page',
];
