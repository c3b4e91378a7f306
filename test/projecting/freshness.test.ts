import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import { expect } from 'chai';
import { openFreshness, waitsOf, type Freshness } from '../../src/projecting/freshness.js';
import { newIds } from '../../src/commands/ids.js';
import { lagSeconds } from '../../src/projecting/lag.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { ViewReader } from '../../src/ports/views.js';
import { START, type Position } from '../../src/domain/event.js';
import type { ProjectionSpec } from '../../src/domain/projection.js';
import { AppError } from '../../src/errors.js';
import { embeddedStores } from '../stores.js';

const LONG = 600_000;

describe('a GET', () => {
  const stores = embeddedStores('each suite');
  let spec: ProjectionSpec = { name: 'views', version: 1, collections: [] };
  let at: Position = START;
  let [team, other] = ['team_1', 'team_2'];
  // Each test has views and teams of its own on one log. Its views begin at the head of the log.
  beforeEach(async () => {
    [team, other] = [newIds.created('team'), newIds.created('team')];
    spec = { ...spec, name: `views_${team}` };
    at = START;
    await stores.writer.prepare(spec, 1);
    await project(await stores.log.head());
  });

  const fresh = (timeoutMs = LONG, views: ViewReader = stores.reader): Freshness =>
    openFreshness({ log: stores.log, views, projection: spec.name, clock: stores.clock, timeoutMs });

  /** Projects up to a position. */
  async function project(to: Position): Promise<void> {
    await stores.writer.commit(spec, { build: 1, epoch: 1, from: at, to, changes: [] });
    at = to;
  }

  /** Appends events of a team, and returns the position of the last one. */
  async function happen(team: string, count = 1): Promise<Position> {
    const events = Array.from({ length: count }, () => ({
      id: newIds.event('', 0),
      type: 'RunReturnedToPending',
      version: 1,
      data: { run_id: 'run_1', project_id: 'project_1' },
      meta: {
        team_id: team,
        actor: 'key_1',
        at: stores.clock().toISOString(),
        correlation_id: 'request',
        causation_id: null,
      },
    }));
    return (await stores.log.append(`run-${team}.${newIds.created('run')}`, 'none', events)).position;
  }

  /** A reader that records the positions that it has to wait for. */
  function recordingReader(): { views: ViewReader; asked: Position[] } {
    const asked: Position[] = [];
    const views: ViewReader = {
      ...stores.reader,
      position(projection, wait) {
        if (wait?.atLeast !== undefined) asked.push(wait.atLeast);
        return stores.reader.position(projection, wait);
      },
    };
    return { views, asked };
  }

  it('of a team that wrote nothing gets its answer at once, whatever other teams have written', async () => {
    await happen(other, 1_000);
    expect(await fresh()(team)).to.equal(0);
  });

  it('gets its answer at once when the views have all events of its team, whatever other teams have written since', async () => {
    await project(await happen(team, 3));
    await happen(other, 1_000);
    expect(await fresh()(team)).to.equal(0);
  });

  it('waits for the newest event of its team, and for no other event', async () => {
    const own = await happen(team, 2);
    await happen(other);
    const { views, asked } = recordingReader();
    let lag: number | null = null;
    const waiting = fresh(LONG, views)(team).then((answered) => (lag = answered));
    await project(String(Number(own) - 1).padStart(20, '0'));
    expect(await stores.reader.position(spec.name)).to.equal(at);
    expect(lag).to.equal(null);
    await project(own);
    await waiting;
    expect(lag).to.equal(0);
    expect(asked).to.deep.equal([own]);
  });

  it('asks the log for the newest event after the GET has come, every time', async () => {
    const { views, asked } = recordingReader();
    const freshness = fresh(LONG, views);
    const positions: Position[] = [];
    for (let n = 0; n < 3; n += 1) {
      const position = await happen(team);
      positions.push(position);
      const waiting = freshness(team);
      await project(position);
      expect(await waiting).to.equal(0);
    }
    expect(asked).to.deep.equal(positions);
  });

  it('passes the known position of the views to the log, which need not search its whole history', async () => {
    const first = await happen(team);
    await project(first);
    const known: (Position | undefined)[] = [];
    const log: EventLog = {
      ...stores.log,
      head(one, since) {
        known.push(since);
        return stores.log.head(one, since);
      },
    };
    const { reader: views, clock } = stores;
    const freshness = openFreshness({ log, views, projection: spec.name, clock, timeoutMs: LONG });
    await freshness(team);
    const second = await happen(team);
    await project(second);
    await freshness(team);
    await freshness(team);
    expect(known).to.deep.equal([first, first, second]);
  });

  describe('that waited for too long', () => {
    it('reports by how many milliseconds the views are behind for its team', async () => {
      await happen(other);
      stores.clock.forward(60_000);
      const seen = await happen(team);
      stores.clock.forward(1_000);
      await happen(team, 2);
      stores.clock.forward(4_000);
      expect(await fresh(20)(team)).to.equal(5_000);
      await project(seen);
      expect(await fresh(20)(team)).to.equal(4_000);
    });

    it('reports one millisecond or more', async () => {
      await happen(team);
      expect(await fresh(1)(team)).to.equal(1);
    });

    it('waits no longer when the log does not report its head, and reports the whole wait', async () => {
      const { reader: views, clock } = stores;
      const head = () => new Promise<never>(() => undefined);
      const log: EventLog = { ...stores.log, head };
      const began = performance.now();
      const freshness = openFreshness({ log, views, projection: spec.name, clock, timeoutMs: 100 });
      expect(await freshness(team)).to.equal(100);
      expect(performance.now() - began).to.be.within(95, 2_000);
    });

    it('waits for its whole timeout', async () => {
      await happen(team);
      const began = performance.now();
      await fresh(100)(team);
      expect(performance.now() - began).to.be.at.least(95);
    });
  });

  describe('of the metrics', () => {
    const lag = () => lagSeconds(stores.log, stores.reader, spec.name, stores.clock);

    it('reports the seconds since the oldest event that the views do not have', async () => {
      expect(await lag()).to.equal(0);
      const first = await happen(team);
      stores.clock.forward(2_000);
      const second = await happen(other);
      stores.clock.forward(1_500);
      expect(await lag()).to.equal(3.5);
      await project(first);
      expect(await lag()).to.equal(1.5);
      await project(second);
      expect(await lag()).to.equal(0);
    });
  });
});

describe('a projection that stands before an event of a newer version', () => {
  const stores = embeddedStores('each suite');
  const at = '2026-01-01T00:00:00.000Z';
  const position = '1'.padStart(20, '0');
  const reader = {
    position: async () => position,
    checkpoints: async () => [{ partitions: ALL_PARTITIONS, position, epoch: 1 }],
  } as Partial<ViewReader> as ViewReader;
  /** A log whose only readable event is the last one that the projection has applied. */
  const log = {
    head: async () => '2'.padStart(20, '0'),
    async readAll({ inclusive = false }) {
      if (!inclusive) throw new AppError('unknown_event', 'the next event');
      return { events: [{ meta: { at } }], position: '', caughtUp: false };
    },
  } as Partial<EventLog> as EventLog;

  it('delays a GET, which then says that it may be stale', async () => {
    const freshness = openFreshness({
      log,
      views: reader,
      projection: 'views',
      clock: stores.clock,
      timeoutMs: 20,
    });
    expect(await freshness('team_1')).to.equal(20);
  });

  it('shows a lag that grows since its last event', async () => {
    const seconds = (stores.clock().getTime() - Date.parse(at)) / 1_000;
    expect(await lagSeconds(log, reader, 'views', stores.clock)).to.be.within(seconds, seconds + 60);
  });
});

describe('the waits of one request', () => {
  it('are one for each read model, and say whether one of them is behind', async () => {
    const asked: string[] = [];
    const lagging = (model: string, lag: number) => async (team: string) => (
      asked.push(`${model} ${team}`),
      lag
    );
    const seen: number[] = [];
    const freshness = { records: lagging('records', 0), history: lagging('history', 7) };
    const waitFor = waitsOf(freshness, 'team_1', (lag) => seen.push(lag));
    const current = [await waitFor('records'), await waitFor('records', 'history'), await waitFor('history')];
    expect(current).to.deep.equal([true, false, false]);
    expect([asked, seen]).to.deep.equal([
      ['records team_1', 'history team_1'],
      [0, 7, 7],
    ]);
  });
});
