import { expect } from 'chai';
import { MOST_BY_INDEX, MOST_IN_A_RANGE, planPage } from '../../../src/adapters/sqlite/log/page-plan.js';
import { logFile } from '../../../src/adapters/sqlite/log/file.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import type { EventFilter, EventLog } from '../../../src/ports/event-log.js';
import { START, streamName, type Category } from '../../../src/domain/event.js';
import { newEvent, newEvents, newTeam, readToEnd } from '../../contract/event-log/events.js';
import { temporaryFolder } from './log.folder.js';

describe('the event log: SQLite, however long its history', function () {
  const folder = temporaryFolder();

  describe('uses an index or a range of positions, and never scans the table', () => {
    const byTeam = /SEARCH events USING COVERING INDEX events_by_team \(team=\? AND rowid>\? AND rowid<\?\)/;
    const byRareCategory =
      /SEARCH events USING COVERING INDEX events_by_rare_category \(category=\? AND rowid>\? AND rowid<\?\)/;
    const byPosition = /SEARCH e USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/;
    const cases: [title: string, filter: EventFilter, index: RegExp][] = [
      ['without a filter', {}, byPosition],
      ['for types', { types: ['RunCreated', 'RunCompleted'] }, byPosition],
      ['for a frequent category', { streams: ['result-'] }, byPosition],
      ['for frequent and rare categories', { streams: ['result-', 'run-'] }, byPosition],
      ['for categories of several teams', { streams: ['result-a.', 'run-b.'] }, byPosition],
      ['for a rare category', { streams: ['team-'] }, byRareCategory],
      ['for rare categories', { streams: ['team-', 'project-', 'run-'] }, byRareCategory],
      ['for types of rare categories', { streams: ['team-', 'run-'], types: ['KeyRevoked'] }, byRareCategory],
      ['for rare categories of several teams', { streams: ['run-a.', 'run-b.', 'team-b.'] }, byRareCategory],
      ['for a category of one team', { streams: ['result-a.'] }, byTeam],
      ['for categories of one team', { streams: ['result-a.', 'run-a.', 'team-a.'] }, byTeam],
      ['for types of one team', { streams: ['result-a.', 'run-a.'], types: ['RunCreated'] }, byTeam],
    ];
    for (const [title, filter, index] of cases) {
      it(title, async () => {
        await folder.open();
        const { page, reach } = planPage(filter)!;
        for (const query of reach.by === 'rows' ? [page, reach.query] : [page]) {
          const plan = await explain(query);
          expect(plan).to.match(index);
          expect(plan).not.to.match(/SCAN (e|events)\b|TEMP B-TREE/);
        }
      });
    }

    async function explain(query: string): Promise<string> {
      const database = openDatabase(logFile(folder.path), { synchronous: 'FULL', busyTimeoutMs: 0 });
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${query}`).raw().all() as [
        number,
        number,
        number,
        string,
      ][];
      database.close();
      return steps.map(([, , , step]) => step).join('\n');
    }
  });

  describe('reads a limited number of events for one page', () => {
    const team = newTeam();
    const rare = streamName('run', team, 'run_1');

    /** Many events of one kind, and the wanted event behind them. */
    async function filled(category: Category): Promise<{ log: EventLog; position: string }> {
      const log = await folder.open();
      const stream = streamName(category, team, 'x');
      for (let count = 0; count <= MOST_IN_A_RANGE; count += 1000) {
        await log.append(stream, 'any', newEvents(1000, 'Frequent'));
      }
      return { log, position: (await log.append(rare, 'none', [newEvent({}, 'Wanted')])).position };
    }

    const cases: [title: string, category: Category, look: number, filter: EventFilter][] = [
      ['by position', 'result', MOST_IN_A_RANGE, { types: ['Wanted'] }],
      ['of one team', 'result', MOST_BY_INDEX, { streams: [`run-${team}.`] }],
      ['of rare categories', 'project', MOST_BY_INDEX, { streams: ['project-', 'run-'], types: ['Wanted'] }],
    ];
    for (const [title, category, look, filter] of cases) {
      it(`${title}: answers with a page without events that says how far it has read`, async () => {
        const { log, position } = await filled(category);
        const first = await log.readAll({ after: START, filter });
        expect(first).to.deep.equal({
          events: [],
          position: String(look).padStart(20, '0'),
          caughtUp: false,
        });
        const { events, pages } = await readToEnd(log, { after: START, filter });
        expect(pages).to.have.length(Math.ceil(Number(position) / look));
        expect(events.map((event) => event.position)).to.deep.equal([position]);
      });
    }

    it('gives at most that many events, whatever the limit', async () => {
      const { log } = await filled('project');
      const filter = { streams: ['project-'] };
      const { events, pages } = await readToEnd(log, { after: START, filter, limit: 100_000 });
      expect(pages[0]?.events).to.have.length(MOST_BY_INDEX);
      expect(pages[0]?.caughtUp).to.equal(false);
      expect(events).to.have.length(21_000);
    });

    it('goes straight to a rare category behind a long history', async () => {
      const { log, position } = await filled('result');
      const page = await log.readAll({ after: START, filter: { streams: ['run-', 'team-'] } });
      expect(page.events.map(({ type }) => type)).to.deep.equal(['Wanted']);
      expect(page).to.include({ position, caughtUp: true });
    });

    it('gives a follower what comes after a long stretch of other events', async () => {
      const { log, position } = await filled('result');
      const signal = new AbortController().signal;
      for await (const batch of log.follow({ after: START, filter: { types: ['Wanted'] }, signal })) {
        if (batch.events.length === 0) continue;
        expect(batch.events.map((event) => event.position)).to.deep.equal([position]);
        break;
      }
    });
  });
});
