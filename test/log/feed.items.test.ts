import { expect } from 'chai';
import { openFeed } from '../../src/log/feed.js';
import type { Batch, EventFilter, EventLog } from '../../src/ports/event-log.js';
import { START, type Position, type RecordedEvent } from '../../src/domain/event.js';
import {
  contextOf,
  embeddedStores,
  eventually,
  givenCall,
  givenRun,
  givenSubmission,
  NOW,
} from '../stores.js';
import { run } from '../../src/domain/runs/run.js';
import { pagesOf as pagesOfFeed } from './feed-pages.js';

describe('the feed of submissions', () => {
  const stores = embeddedStores('each test');
  const items = (count: number) => Array.from({ length: count }, (_, n) => ({ test_name: `test ${n}` }));

  /** Two submissions between ordinary runs, and one that never took effect. */
  async function given() {
    const { log } = stores;
    const made = await givenRun(log);
    const first = await givenSubmission(log, made, items(7), { started_at: NOW });
    await givenSubmission(log, made, items(3), { takesEffect: false });
    const second = await givenSubmission(log, made, items(5));
    const update = { type: 'UpdateRun', label: 'weekly', at: NOW } as const;
    await made.commands.execute(run, made.runStream, contextOf(made.team), update);
    return { ...made, first, second, feed: openFeed(log) };
  }

  const shown = ({ type, data }: RecordedEvent) =>
    type === 'ResultSubmitted' ? (data as { test_name: string }).test_name : type;
  const submitted = (count: number) => items(count).map(({ test_name }) => test_name);
  const expected = [
    'ProjectCreated',
    'RunCreated',
    'RunCreated',
    ...submitted(7),
    'RunStarted',
    'RunCompleted',
    'RunCreated',
    ...submitted(5),
    'RunCompleted',
    'RunDescribed',
  ];

  const pagesOf = (limit: number, after?: Position, filter?: EventFilter) =>
    pagesOfFeed(openFeed(stores.log), { limit, after, filter });

  const eventsOf = (pages: readonly Batch[]) => pages.flatMap(({ events }) => events);

  /** The batches of a follower from a position to the end of the log. */
  async function followed(limit: number, after: Position = START): Promise<Batch[]> {
    const stop = new AbortController();
    const batches: Batch[] = [];
    for await (const batch of openFeed(stores.log).follow({ after, limit, signal: stop.signal })) {
      batches.push(batch);
      if (batch.caughtUp) stop.abort();
    }
    return batches;
  }

  for (const limit of [1, 2, 3, 5, 7, 8, 100]) {
    it(`yields the items right after their RunCreated, in pages and batches of up to ${limit}`, async () => {
      await given();
      for (const pages of [await pagesOf(limit), await followed(limit)]) {
        expect(eventsOf(pages).map(shown)).to.deep.equal(expected);
        for (const { events } of pages) expect(events.length).to.be.at.most(limit);
      }
    });
  }

  it('gives each event a position of its own, and positions sort as text in its order', async () => {
    await given();
    const positions = eventsOf(await pagesOf(4)).map(({ position }) => position);
    expect([...new Set(positions)].sort()).to.deep.equal(positions);
    const [, , created, ...others] = positions;
    expect(others.slice(0, 7)).to.deep.equal(positions.slice(3, 10));
    others.slice(0, 7).forEach((position, n) => expect(position).to.equal(`${created}-00000${n}`));
  });

  it('yields the items of each call to a run with a key right after its ItemsSubmitted, from any position on', async () => {
    const { log } = stores;
    const made = await givenRun(log);
    await givenCall(log, made, items(5));
    await givenSubmission(log, made, items(2));
    await givenCall(log, made, items(3));
    const called = ['ItemsSubmitted', ...submitted(5), 'RunStarted', 'ItemsReceived'];
    const whole = ['RunCreated', ...submitted(2), 'RunCompleted'];
    const again = ['ItemsSubmitted', ...submitted(3), 'ItemsReceived'];
    const wanted = ['ProjectCreated', 'RunCreated', 'RunCreated', ...called, ...whole, ...again];
    const all = eventsOf(await pagesOf(100));
    expect(all.map(shown)).to.deep.equal(wanted);
    for (const limit of [1, 2, 3, 4, 7]) {
      for (const pages of [await pagesOf(limit), await followed(limit)]) {
        expect(eventsOf(pages)).to.deep.equal(all);
        for (const { events } of pages) expect(events.length).to.be.at.most(limit);
      }
      for (const [at, { position }] of all.entries()) {
        expect(eventsOf(await pagesOf(limit, position))).to.deep.equal(all.slice(at + 1));
      }
    }
    const types = ['ResultSubmitted'];
    const results = all.filter(({ type }) => type === 'ResultSubmitted');
    for (const limit of [1, 3, 100]) {
      expect(eventsOf(await pagesOf(limit, START, { types }))).to.deep.equal(results);
    }
  });

  it('goes on after any event, wherever the page ended', async () => {
    await given();
    const all = eventsOf(await pagesOf(100));
    for (const [at, { position }] of all.entries()) {
      const rest = all.slice(at + 1);
      for (const limit of [1, 4, 100]) {
        expect(eventsOf(await pagesOf(limit, position))).to.deep.equal(rest);
      }
      // A follower at the end waits for new events.
      if (rest.length > 0) expect(eventsOf(await followed(4, position))).to.deep.equal(rest);
    }
  });

  it('goes on after the position of a page as after that of its last event', async () => {
    await given();
    const all = eventsOf(await pagesOf(100));
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      let seen = 0;
      for (const { events, position } of await pagesOf(limit)) {
        seen += events.length;
        expect(eventsOf(await pagesOf(100, position))).to.deep.equal(all.slice(seen));
      }
    }
  });

  it('ends with the items if their run is the newest event, and does not yield them again', async () => {
    const { log } = stores;
    const made = await givenRun(log);
    const { run_id, runStream } = await givenSubmission(log, made, items(2), { takesEffect: false });
    const { project_id, context } = made;
    const meta = (await log.readAll({ after: START, limit: 1 })).events[0]!.meta;
    const data = { run_id, project_id, run_key: null, label: null, metadata: null, items: 2 };
    const id = context.ids.event(runStream, 0);
    await log.append(runStream, 'none', [{ id, type: 'RunCreated', version: 1, meta, data }]);
    for (const limit of [1, 2, 3, 100]) {
      const pages = await pagesOf(limit);
      expect(eventsOf(pages).map(shown).slice(-3)).to.deep.equal(['RunCreated', 'test 0', 'test 1']);
      const { position } = pages.at(-1)!;
      const end = { events: [], position, caughtUp: true };
      expect(await openFeed(log).read({ after: position })).to.deep.equal(end);
      expect(await followed(limit, position)).to.deep.equal([end]);
    }
  });

  it('yields items with their runs for a filter by type that names them, and leaves them out for any other', async () => {
    await given();
    const named = async (types: string[], limit: number) =>
      eventsOf(await pagesOf(limit, START, { types })).map(shown);
    for (const limit of [1, 2, 5, 100]) {
      expect(await named(['ResultSubmitted'], limit)).to.deep.equal([...submitted(7), ...submitted(5)]);
      expect(await named(['RunCreated', 'RunCompleted'], limit)).to.deep.equal(
        expected.filter((each) => ['RunCreated', 'RunCompleted'].includes(each)),
      );
      expect(await named(['RunCompleted', 'ResultSubmitted'], limit)).to.deep.equal(
        expected.filter((each) => each === 'RunCompleted' || each.startsWith('test ')),
      );
    }
  });

  it('reads no items for a consumer that takes none, wherever in a submission it goes on', async () => {
    await given();
    const all = eventsOf(await pagesOf(100));
    const read: string[] = [];
    const watched: EventLog = {
      ...stores.log,
      readStream: (stream, options) => {
        read.push(stream);
        return stores.log.readStream(stream, options);
      },
    };
    const filter = { types: ['RunCreated', 'RunCompleted', 'RunDescribed'] };
    for (const [at, { position }] of all.entries()) {
      const page = await openFeed(watched).read({ after: position, filter });
      const rest = all.slice(at + 1).filter(({ type }) => filter.types.includes(type));
      expect(page.events).to.deep.equal(rest);
      expect(page.position >= position, `${page.position} after ${position}`).to.equal(true);
    }
    expect(read).to.deep.equal([]);
  });

  it("gives a team nothing of another team's submission, wherever in the log it goes on", async () => {
    const { team } = await given();
    const other = await givenRun(stores.log);
    await givenSubmission(stores.log, other, items(4));
    const all = eventsOf(await pagesOf(100));
    for (const each of [team, other.team]) {
      const filter = { streams: [`run-${each}.`, `items-${each}.`, `project-${each}.`] };
      for (const [at, { position }] of all.entries()) {
        const rest = all.slice(at + 1).filter(({ meta }) => meta.team_id === each);
        expect(eventsOf(await pagesOf(3, position, filter))).to.deep.equal(rest);
      }
    }
  });

  it('gives a team its own submissions only', async () => {
    const { team } = await given();
    const other = await givenRun(stores.log);
    await givenSubmission(stores.log, other, items(4));
    const of = async (each: string) => {
      const streams = [`run-${each}.`, `items-${each}.`];
      return eventsOf(await pagesOf(3, START, { streams })).map(({ meta }) => meta.team_id);
    };
    expect(await of(team)).to.deep.equal(Array.from({ length: 19 }, () => team));
    expect(await of(other.team)).to.deep.equal(Array.from({ length: 7 }, () => other.team));
  });

  it('never yields a submission that took no effect, and yields all of it once it does, also live', async () => {
    const { log } = stores;
    const made = await givenRun(log);
    const stop = new AbortController();
    const seen: RecordedEvent[] = [];
    let caughtUp = false;
    const following = (async () => {
      for await (const batch of openFeed(log).follow({ after: START, limit: 2, signal: stop.signal })) {
        seen.push(...batch.events);
        caughtUp = batch.caughtUp;
      }
    })();
    await eventually('it has caught up', () => caughtUp);
    await givenSubmission(log, made, items(3), { takesEffect: false });
    await givenSubmission(log, made, items(4));
    await eventually('it has the new run', () => seen.at(-1)?.type === 'RunCompleted');
    stop.abort();
    await following;
    expect(seen.map(shown).slice(2)).to.deep.equal(['RunCreated', ...submitted(4), 'RunCompleted']);
  });

  it('fails if items are missing, and skips none of them', async () => {
    await given();
    const short: EventLog = {
      ...stores.log,
      async readStream(stream, options) {
        const page = await stores.log.readStream(stream, options);
        return stream.startsWith('items-') ? { ...page, events: page.events.slice(1) } : page;
      },
    };
    const read = () => openFeed(short).read({ after: START });
    const error = await read().then(
      () => expect.fail('it was read'),
      (fault: Error) => fault,
    );
    expect(error.message).to.match(/the items of run-.* are not all there/);
  });
});
