import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../src/errors.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { newIds } from '../../src/commands/ids.js';
import { openReplay, type Replay } from '../../src/replay/replay.js';
import type { SplitText } from '../../src/replay/event-buffer.js';
import { isVisible, type ReplayScope } from '../../src/replay/scope.js';
import { START, streamName, type Position, type RecordedEvent } from '../../src/domain/event.js';
import { contextOf, embeddedStores, eventually, givenSubmission, NOW } from '../stores.js';
import { appendSome, givenTeam, readWholeLog, type Team } from './given.js';

const render = ({ position }: RecordedEvent) => `${position}\n`;
const enterLog = async () => () => undefined;
const renderLive = (event: RecordedEvent): SplitText => [render(event), ''];

const types = [
  'RunCreated',
  'ResultSubmitted',
  'RunCompleted',
  'KeyCreated',
  'ProjectCreated',
  'RunDescribed',
];

describe('the replay', () => {
  const stores = embeddedStores('each suite');
  let teams: [Team, Team];
  let replay: Replay;
  before(async () => {
    teams = [await givenTeam(stores.log), await givenTeam(stores.log)];
    replay = openReplay(stores.log, renderLive);
  });

  const anyScope = fc.record({
    team: fc.constantFrom(0, 1),
    admin: fc.boolean(),
    types: fc.option(fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
    project: fc.option(fc.constantFrom(0, 1)),
  });
  const scopeOf = ({
    team,
    admin,
    types,
    project,
  }: typeof anyScope extends fc.Arbitrary<infer T> ? T : never): ReplayScope => ({
    team: teams[team].id,
    admin,
    projects: null,
    ...(types && { types }),
    ...(project !== null && { project: teams[team].projects[project]! }),
  });
  const anyStep = fc.record({
    /** The appends before it, to either team. */
    appends: fc.array(fc.tuple(fc.constantFrom(0, 1), fc.nat(15), fc.integer({ min: 1, max: 12 })), {
      maxLength: 2,
    }),
    form: fc.constantFrom('page', 'lines', 'live'),
    limit: fc.integer({ min: 1, max: 9 }),
  });

  it('gives each event exactly once to a reader that goes on from its last position, in every scope and form', async function () {
    const property = fc.asyncProperty(
      anyScope,
      fc.array(anyStep, { minLength: 3, maxLength: 12 }),
      async (wanted, steps) => {
        const scope = scopeOf(wanted);
        const from = await stores.log.head();
        let after = from;
        const seen: Position[] = [];
        const take = (text: Buffer) => seen.push(...text.toString().split('\n').slice(0, -1));
        for (const { appends, form, limit } of steps) {
          for (const [team, kind, size] of appends) await appendSome(stores.log, teams[team], kind, size);
          expect(await replay.position(scope.team, after)).to.equal(after);
          if (form === 'page') {
            const page = await replay.page(scope, { after, limit });
            expect(page.events.length).to.be.at.most(limit);
            seen.push(...page.events.map(({ position }) => position));
            after = page.next;
            continue;
          }
          const abort = new AbortController();
          const options = { after, limit, render, signal: abort.signal };
          const chunks =
            form === 'lines'
              ? replay.readToEnd(scope, options)
              : replay.follow(scope, { ...options, infix: '', enterLog, progressEveryMs: 1 });
          // The reader is cut off at some chunk: it has not seen what was not sent.
          for await (const { text, position, caughtUp } of chunks) {
            take(text);
            after = position;
            if (caughtUp) break;
          }
          abort.abort();
        }
        const rest = await replay.page(scope, { after, limit: 1_000 });
        seen.push(...rest.events.map(({ position }) => position));
        expect(rest.caughtUp).to.equal(true);
        const expected = (await readWholeLog(stores.log)).filter(
          (event) => event.position > from && event.meta.team_id === scope.team && isVisible(scope, event),
        );
        expect(seen).to.deep.equal(expected.map(({ position }) => position));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('reads a bounded part of the log for each page, and says how far it came, when a filter lets hardly anything through', async function () {
    const team = await givenTeam(stores.log);
    const [often, seldom] = team.projects as [string, string];
    const rare = { team: team.id, admin: true, projects: null, project: seldom };
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
    await appendSome(stores.log, team, 1, 1);
    const pages: [read: number, found: number][] = [];
    for (let after = from; ;) {
      const page = await replay.page(rare, { after, limit: 100 });
      expect(await replay.position(team.id, page.next)).to.equal(page.next);
      pages.push([Number(page.next) - Number(after), page.events.length]);
      after = page.next;
      if (page.caughtUp) break;
    }
    expect(pages.map(([, found]) => found)).to.deep.equal([0, 0, 2]);
    for (const [read] of pages.slice(0, 2)) expect(read).to.be.within(10_000, 10_250);
    expect(pages.reduce((sum, [read]) => sum + read, 0)).to.equal(22_002);
  });

  it('renders an event once for all live readers, by whatever host they read, and reads the log once for them', async () => {
    const [team] = teams;
    const rendered = new Map<Position, number>();
    let followers = 0;
    const counted: EventLog = {
      ...stores.log,
      follow: (options) => {
        followers += 1;
        return stores.log.follow(options);
      },
    };
    const counting = (event: RecordedEvent): SplitText => {
      rendered.set(event.position, (rendered.get(event.position) ?? 0) + 1);
      return [`${event.position} `, '\n'];
    };
    const shared = openReplay(counted, counting);
    const hosts = Array.from({ length: 30 }, (_, n) => `host-${n % 20}`);
    const after = await stores.log.head();
    const aborts = Array.from({ length: 30 }, () => new AbortController());
    const got = Array.from({ length: 30 }, () => '');
    const scope = { team: team.id, admin: true, projects: null };
    const options = { after, enterLog, progressEveryMs: 1_000 };
    let waiting = 0;
    const readers = got.map(async (_, n) => {
      for await (const { text, caughtUp } of shared.follow(scope, {
        ...options,
        infix: hosts[n]!,
        signal: aborts[n]!.signal,
      })) {
        got[n] += text.toString();
        if (caughtUp) waiting += 1;
      }
    });
    await eventually('all readers follow', () => waiting >= 30);
    for (let n = 0; n < 5; n += 1) await appendSome(stores.log, team, n, 20);
    const events = (await readWholeLog(stores.log)).filter(
      ({ position, meta }) => position > after && meta.team_id === team.id,
    );
    const texts = hosts.map((host) => events.map(({ position }) => `${position} ${host}\n`).join(''));
    await eventually('all readers have the text', () =>
      got.every((each, n) => each.length >= texts[n]!.length),
    );
    for (const abort of aborts) abort.abort();
    await Promise.all(readers);
    expect(got).to.deep.equal(texts);
    expect([...rendered.values()].every((times) => times === 1)).to.equal(true);
    expect(rendered.size).to.equal(events.length);
    expect(followers).to.equal(1);
  });

  it('gives all events to a reader that falls far behind, from the log, and buffers a bounded amount for it', async () => {
    const [team] = teams;
    const after = await stores.log.head();
    const abort = new AbortController();
    const scope = { team: team.id, admin: true, projects: null };
    const options = { after, infix: '', enterLog, signal: abort.signal, progressEveryMs: 1_000 };
    let text = '';
    let largest = 0;
    let hold = Promise.resolve();
    let release = () => undefined as void;
    let taken = 0;
    const slow = (async () => {
      for await (const chunk of replay.follow(scope, options)) {
        await hold;
        taken += 1;
        largest = Math.max(largest, chunk.text.length);
        text += chunk.text.toString();
      }
    })();
    await eventually('the reader follows', () => taken > 0);
    hold = new Promise((resolve) => (release = resolve));
    for (let n = 0; n < 4; n += 1) {
      const items = Array.from({ length: 2_000 }, (_, at) => ({ test_name: `test ${at}` }));
      await givenSubmission(stores.log, { team: team.id, project_id: team.projects[0]! }, items);
    }
    const events = (await readWholeLog(stores.log)).filter(
      ({ position, meta }) => position > after && meta.team_id === team.id,
    );
    release();
    const wanted = events.map(render).join('');
    await eventually('the reader has all', () => text.length >= wanted.length);
    abort.abort();
    await slow;
    expect(text).to.equal(wanted);
    expect(largest).to.be.below(300_000);
  });

  it('lets a live reader wait for a place to read the log, and then gives it every event', async () => {
    const [team] = teams;
    const scope = { team: team.id, admin: true, projects: null };
    const wanted = (await readWholeLog(stores.log)).filter(({ meta }) => meta.team_id === team.id);
    const abort = new AbortController();
    let asked = 0;
    let held = 0;
    const scarce = async () => {
      asked += 1;
      if (asked <= 3) throw new AppError('too_many_replays', 'full');
      held += 1;
      return () => void (held -= 1);
    };
    const options = { after: START, infix: '', enterLog: scarce, signal: abort.signal, progressEveryMs: 10 };
    let text = '';
    for await (const chunk of replay.follow(scope, options)) {
      text += chunk.text.toString();
      if (chunk.text.length > 0 && asked <= 3) expect.fail('it read the log without a place');
      if (chunk.caughtUp && held === 0) abort.abort();
    }
    expect(text).to.equal(wanted.map(render).join(''));
    expect([asked, held]).to.deep.equal([4, 0]);
  });

  it('gives the fault of the log to each live reader, and follows the log again for readers that come back', async () => {
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
    const shared = openReplay(breaking, renderLive);
    const scope = { team: team.id, admin: true, projects: null };
    const reading = async (after: Position) => {
      const abort = new AbortController();
      const reader = { text: '', progress: 0, abort, ended: Promise.resolve<unknown>(null) };
      const options = { after, infix: '', enterLog, signal: abort.signal, progressEveryMs: 10 };
      const read = async () => {
        for await (const { text, caughtUp } of shared.follow(scope, options)) {
          reader.text += text.toString();
          if (caughtUp) reader.progress += 1;
        }
      };
      reader.ended = read().catch((error: unknown) => error);
      // After it has caught up, it waits for the shared feed.
      await eventually('the reader follows', () => reader.progress > 1);
      return reader;
    };
    const after = await stores.log.head();
    const readers = [await reading(after), await reading(after)];
    fail();
    for (const { ended } of readers) expect(await ended).to.equal(away);
    const back = await reading(after);
    await appendSome(stores.log, team, 1, 1);
    await eventually('the reader has both events', () => back.text.split('\n').length === 3);
    back.abort.abort();
    expect(await back.ended).to.equal(undefined);
  });
});
