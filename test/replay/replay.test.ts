import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { EventLog } from '../../src/ports/event-log.js';
import { newIds } from '../../src/commands/ids.js';
import { openReplay, type Replay } from '../../src/replay/replay.js';
import { isVisible, type ReplayScope } from '../../src/replay/scope.js';
import { streamName, type Position, type RecordedEvent } from '../../src/domain/event.js';
import { contextOf, embeddedStores, eventually, givenSubmission, NOW } from '../stores.js';
import { happen, newTeam, wholeLog, type Team } from './given.js';

const render = ({ position }: RecordedEvent) => `${position}\n`;

const types = [
  'RunCreated',
  'ResultSubmitted',
  'RunCompleted',
  'KeyCreated',
  'ProjectCreated',
  'RunDescribed',
];

describe('the replay', () => {
  const stores = embeddedStores('the block');
  let teams: [Team, Team];
  let replay: Replay;
  before(async () => {
    teams = [await newTeam(stores.log), await newTeam(stores.log)];
    replay = openReplay(stores.log);
  });

  const aView = fc.record({
    team: fc.constantFrom(0, 1),
    admin: fc.boolean(),
    types: fc.option(fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
    project: fc.option(fc.constantFrom(0, 1)),
  });
  const viewOf = ({
    team,
    admin,
    types,
    project,
  }: typeof aView extends fc.Arbitrary<infer T> ? T : never): ReplayScope => ({
    team: teams[team].id,
    admin,
    ...(types && { types }),
    ...(project !== null && { project: teams[team].projects[project]! }),
  });
  const aStep = fc.record({
    /** What happens before it, in either team. */
    happens: fc.array(fc.tuple(fc.constantFrom(0, 1), fc.nat(15), fc.integer({ min: 1, max: 12 })), {
      maxLength: 2,
    }),
    form: fc.constantFrom('page', 'lines', 'live'),
    limit: fc.integer({ min: 1, max: 9 }),
  });

  it('gives each event exactly once to who takes up where he was, whatever he asks for, in whatever form', async function () {
    this.timeout(60_000);
    const property = fc.asyncProperty(
      aView,
      fc.array(aStep, { minLength: 3, maxLength: 12 }),
      async (wanted, steps) => {
        const view = viewOf(wanted);
        const from = await stores.log.head();
        let after = from;
        const seen: Position[] = [];
        const take = (text: Buffer) => seen.push(...text.toString().split('\n').slice(0, -1));
        for (const { happens, form, limit } of steps) {
          for (const [team, kind, size] of happens) await happen(stores.log, teams[team], kind, size);
          expect(await replay.position(view.team, after)).to.equal(after);
          if (form === 'page') {
            const page = await replay.page(view, { after, limit });
            expect(page.events.length).to.be.at.most(limit);
            seen.push(...page.events.map(({ position }) => position));
            after = page.next;
            continue;
          }
          const abort = new AbortController();
          const options = { after, limit, render, signal: abort.signal };
          const chunks =
            form === 'lines'
              ? replay.readToEnd(view, options)
              : replay.follow(view, { ...options, rendering: '', progressEveryMs: 1 });
          // Cut off somewhere: what was not sent has not been seen.
          for await (const { text, position, caughtUp } of chunks) {
            take(text);
            after = position;
            if (caughtUp) break;
          }
          abort.abort();
        }
        const rest = await replay.page(view, { after, limit: 1_000 });
        seen.push(...rest.events.map(({ position }) => position));
        expect(rest.caughtUp).to.equal(true);
        const expected = (await wholeLog(stores.log)).filter(
          (event) => event.position > from && event.meta.team_id === view.team && isVisible(view, event),
        );
        expect(seen).to.deep.equal(expected.map(({ position }) => position));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('looks at so much a page and no more, and says how far, where a filter lets hardly anything through', async function () {
    this.timeout(60_000);
    const team = await newTeam(stores.log);
    const [often, seldom] = team.projects as [string, string];
    const rare = { team: team.id, admin: true, project: seldom };
    const from = await stores.log.head();
    const run_id = newIds.created('run');
    const { at, actor, correlationId: correlation_id } = contextOf(team.id);
    const meta = { team_id: team.id, actor, at, correlation_id, causation_id: null };
    const data = { run_id, project_id: often, started_at: NOW };
    for (let n = 0; n < 22; n += 1) {
      const some = Array.from({ length: 1_000 }, () => {
        return { id: randomUUID(), type: 'RunStarted', version: 1, data, meta };
      });
      await stores.log.append(streamName('run', team.id, run_id), 'any', some);
    }
    await happen(stores.log, team, 1, 1);
    const pages: [looked: number, found: number][] = [];
    for (let after = from; ;) {
      const page = await replay.page(rare, { after, limit: 100 });
      expect(await replay.position(team.id, page.next)).to.equal(page.next);
      pages.push([Number(page.next) - Number(after), page.events.length]);
      after = page.next;
      if (page.caughtUp) break;
    }
    expect(pages).to.deep.equal([
      [10_000, 0],
      [10_000, 0],
      [2_002, 2],
    ]);
  });

  it('writes an event once for all who follow, who wait for one reading of the log', async () => {
    const [team] = teams;
    const written = new Map<Position, number>();
    let followers = 0;
    const counted: EventLog = {
      ...stores.log,
      follow: (options) => {
        followers += 1;
        return stores.log.follow(options);
      },
    };
    const shared = openReplay(counted);
    const after = await stores.log.head();
    const aborts = Array.from({ length: 30 }, () => new AbortController());
    const got = Array.from({ length: 30 }, () => '');
    const counting = (event: RecordedEvent) => {
      written.set(event.position, (written.get(event.position) ?? 0) + 1);
      return render(event);
    };
    const view = { team: team.id, admin: true };
    const options = { after, render: counting, rendering: '', progressEveryMs: 1_000 };
    let waiting = 0;
    const readers = got.map(async (_, n) => {
      for await (const { text, caughtUp } of shared.follow(view, { ...options, signal: aborts[n]!.signal })) {
        got[n] += text.toString();
        if (caughtUp) waiting += 1;
      }
    });
    await eventually('all follow', () => waiting >= 30);
    const before = followers;
    for (let n = 0; n < 5; n += 1) await happen(stores.log, team, n, 20);
    const events = (await wholeLog(stores.log)).filter(
      ({ position, meta }) => position > after && meta.team_id === team.id,
    );
    const text = events.map(render).join('');
    await eventually('all have it', () => got.every((each) => each.length >= text.length));
    for (const abort of aborts) abort.abort();
    await Promise.all(readers);
    expect(new Set(got)).to.deep.equal(new Set([text]));
    expect([...written.values()].every((times) => times === 1)).to.equal(true);
    expect(written.size).to.equal(events.length);
    expect(followers).to.equal(before);
  });

  it('gives all to a reader who falls far behind the others, from the log, and keeps a bounded amount for him', async () => {
    const [team] = teams;
    const after = await stores.log.head();
    const abort = new AbortController();
    const view = { team: team.id, admin: true };
    const options = { after, render, rendering: '', signal: abort.signal, progressEveryMs: 1_000 };
    let text = '';
    let largest = 0;
    let hold = Promise.resolve();
    let release = () => undefined as void;
    let taken = 0;
    const slow = (async () => {
      for await (const chunk of replay.follow(view, options)) {
        await hold;
        taken += 1;
        largest = Math.max(largest, chunk.text.length);
        text += chunk.text.toString();
      }
    })();
    await eventually('it follows', () => taken > 0);
    hold = new Promise((resolve) => (release = resolve));
    for (let n = 0; n < 4; n += 1) {
      const items = Array.from({ length: 2_000 }, (_, at) => ({ test_name: `test ${at}` }));
      await givenSubmission(stores.log, { team: team.id, project_id: team.projects[0]! }, items);
    }
    const events = (await wholeLog(stores.log)).filter(
      ({ position, meta }) => position > after && meta.team_id === team.id,
    );
    release();
    const wanted = events.map(render).join('');
    await eventually('it has all', () => text.length >= wanted.length);
    abort.abort();
    await slow;
    expect(text).to.equal(wanted);
    expect(largest).to.be.below(300_000);
  });

  it('tells each live reader when the log fails, and follows it anew for those who come back', async () => {
    const [team] = teams;
    const away = new Error('away');
    let fail = () => undefined as void;
    const breaking: EventLog = {
      ...stores.log,
      async *follow(options) {
        const broken = new Promise<never>((_, reject) => (fail = () => reject(away)));
        const batches = stores.log.follow(options)[Symbol.asyncIterator]();
        for (;;) {
          const next = await Promise.race([batches.next(), broken]);
          if (next.done === true) return;
          yield next.value;
        }
      },
    };
    const shared = openReplay(breaking);
    const view = { team: team.id, admin: true };
    const reading = async (after: Position) => {
      const abort = new AbortController();
      const reader = { text: '', told: 0, abort, ended: Promise.resolve<unknown>(null) };
      const options = { after, render, rendering: '', signal: abort.signal, progressEveryMs: 10 };
      const read = async () => {
        for await (const { text, caughtUp } of shared.follow(view, options)) {
          reader.text += text.toString();
          if (caughtUp) reader.told += 1;
        }
      };
      reader.ended = read().catch((error: unknown) => error);
      // Once it is told that nothing comes, it waits for what is shared.
      await eventually('it follows', () => reader.told > 1);
      return reader;
    };
    const after = await stores.log.head();
    const readers = [await reading(after), await reading(after)];
    fail();
    for (const { ended } of readers) expect(await ended).to.equal(away);
    const back = await reading(after);
    await happen(stores.log, team, 1, 1);
    await eventually('it has both events', () => back.text.split('\n').length === 3);
    back.abort.abort();
    expect(await back.ended).to.equal(undefined);
  });
});
