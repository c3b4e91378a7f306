import { setImmediate } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { START, streamName, type NewEvent, type RecordedEvent } from '../../src/domain/event.js';
import type { EventLog, ReadAllOptions } from '../../src/ports/event-log.js';
import { openReplay, type Replay } from '../../src/replay/replay.js';
import { contextOf, embeddedStores, givenSubmission } from '../stores.js';
import { givenTeam, type Team } from './given.js';

const EVENTS = 3_000;
const LARGE = 300;

describe('many replays at the same time', () => {
  const stores = embeddedStores('each suite');
  let busy: Team;
  let quiet: Team;
  let replay: Replay;
  /** The events that were read so far, and the most characters of one read. */
  let events = 0;
  let largest = 0;
  before(async () => {
    [busy, quiet] = [await givenTeam(stores.log), await givenTeam(stores.log)];
    for (let n = 0; n < EVENTS; n += 1_000) await appendRuns(busy, 1_000, '');
    const items = Array.from({ length: 1_000 }, (_, n) => ({ test_name: `test ${n}` }));
    await givenSubmission(stores.log, { team: busy.id, project_id: busy.projects[0]! }, items, {});
    const counted: EventLog = {
      ...stores.log,
      readAll: (options: ReadAllOptions) => read(stores.log.readAll(options), ({ events }) => events),
      readStream: (stream, options) => read(stores.log.readStream(stream, options), ({ events }) => events),
    };
    replay = openReplay(counted, (event) => [event.position, '\n']);
  });
  async function read<T>(reading: Promise<T>, eventsOf: (result: T) => RecordedEvent[]): Promise<T> {
    const result = await reading;
    const found = eventsOf(result);
    events += found.length;
    largest = Math.max(
      largest,
      found.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0),
    );
    return result;
  }
  async function appendRuns(team: Team, count: number, text: string): Promise<void> {
    const run_id = newIds.created('run');
    const { at, actor, correlationId: correlation_id } = contextOf(team.id);
    const meta = { team_id: team.id, actor, at, correlation_id, causation_id: null };
    const data = { run_id, project_id: team.projects[0], metadata: { text } };
    const events = Array.from({ length: count }, (): NewEvent => {
      return { id: randomUUID(), type: 'RunDescribed', version: 1, data, meta };
    });
    await stores.log.append(streamName('run', team.id, run_id), 'any', events);
  }
  const readAll = async (team: Team, seen: () => void = () => undefined) => {
    const signal = new AbortController().signal;
    const options = { after: START, render: ({ position }: RecordedEvent) => `${position}\n`, signal };
    let count = 0;
    for await (const chunk of replay.readToEnd({ team: team.id, admin: true, projects: null }, options)) {
      count += chunk.count;
      seen();
    }
    return count;
  };

  it('leave the thread to requests after each step, however many they are', async () => {
    let done = false;
    const all = Promise.all([
      ...Array.from({ length: 30 }, () => readAll(busy)),
      ...Array.from({ length: 30 }, () =>
        replay.page(
          { team: busy.id, admin: false, projects: null, types: ['TeamCreated'] },
          { after: START, limit: 1_000 },
        ),
      ),
    ]).finally(() => (done = true));
    let most = 0;
    let rounds = 0;
    for (; !done; rounds += 1) {
      const before = events;
      await setImmediate();
      most = Math.max(most, events - before);
    }
    await all;
    // A step reads up to 250 events, and up to 250 items of them. The order of two rounds may let two steps meet.
    expect(most).to.be.within(250, 1_000);
    expect(rounds).to.be.above((30 * EVENTS) / 250);
  });

  it('give another team its turn between their steps', async () => {
    let chunks = 0;
    const many = Array.from({ length: 30 }, () => readAll(busy, () => (chunks += 1)));
    const before = chunks;
    expect(await readAll(quiet)).to.be.above(0);
    // A step of the busy team comes before each of the other team, and not a step of each of its replays.
    expect(chunks - before).to.be.below(15);
    expect(new Set(await Promise.all(many))).to.have.property('size', 1);
  });

  it('read no more of large events in one step than of small ones', async () => {
    const team = await givenTeam(stores.log);
    await appendRuns(team, LARGE, 'x'.repeat(60_000));
    largest = 0;
    expect(await readAll(team)).to.be.above(LARGE);
    expect(largest).to.be.within(60_000, 16 * 62_000);
    for (const limit of [1, 1_000]) {
      largest = 0;
      const page = await replay.page({ team: team.id, admin: true, projects: null }, { after: START, limit });
      expect(page.events.length).to.be.within(1, 40);
      expect(largest).to.be.below(16 * 62_000);
    }
  });
});
