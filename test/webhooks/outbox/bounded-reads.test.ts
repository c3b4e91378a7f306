import { expect } from 'chai';
import { streamName, type Position, type RecordedEvent } from '../../../src/domain/event.js';
import { result, type Result } from '../../../src/domain/results/result.js';
import { run } from '../../../src/domain/runs/run.js';
import type { StreamReader } from '../../../src/log/streams.js';
import { openStateAsOf } from '../../../src/webhooks/outbox/state-as-of.js';
import { contextOf, embeddedStores, eventsOf, givenRun, givenSubmission, NOW } from '../../stores.js';

describe('the reads of the outbox', () => {
  const stores = embeddedStores('each suite');

  /** The log, with the number of events that were read. */
  function counting() {
    let count = 0;
    const log: StreamReader = {
      async readStream(...call) {
        const page = await stores.log.readStream(...call);
        count += page.events.length;
        return page;
      },
    };
    return { log, count: () => count };
  }

  it('read a few events of a run for each message about it, in nearly any order', async () => {
    const { commands, team, runStream } = await givenRun(stores.log);
    for (let n = 0; n < 400; n += 1) {
      const command = { type: 'UpdateRun', label: `label ${n}`, at: NOW } as const;
      await commands.execute(run, runStream, contextOf(team), command);
    }
    const events = await eventsOf(stores.log, runStream);
    const { log, count } = counting();
    const stateAsOf = openStateAsOf(log, foldOfLabels, 1_000_000);
    const call = {};
    for (let n = 0; n + 1 < events.length; n += 2) {
      // Two messages that were rendered at once ask in the wrong order.
      const [one, other] = [events[n]!, events[n + 1]!];
      expect(await stateAsOf(runStream, other.position, call)).to.equal(labelOf(other));
      expect(await stateAsOf(runStream, one.position, call)).to.equal(labelOf(one));
      expect(await stateAsOf(runStream, one.position, call)).to.equal(labelOf(one));
    }
    const last = events.at(-1)!;
    expect(await stateAsOf(runStream, last.position, call)).to.equal(labelOf(last));
    expect(await stateAsOf(runStream, '9'.repeat(20), call)).to.equal(labelOf(last));
    expect(count()).to.be.lessThan(events.length * 20);
  });

  it('read the items of a submission, and the own streams of its results only for what came later', async () => {
    const { commands, ...made } = await givenRun(stores.log);
    const { team } = made;
    const { run_id, result_ids } = await givenSubmission(
      stores.log,
      made,
      Array.from({ length: 30 }, () => ({})),
    );
    const [created] = await eventsOf(stores.log, streamName('run', team, run_id));
    const at = created!.position;
    const streams = result_ids.map((id) => streamName('result', team, id));
    const changes = { metadata: { changed: true } };
    const update = { type: 'UpdateResult', at: NOW, changes } as const;
    const { appended } = await commands.execute(result, streams[9]!, contextOf(team), update);
    const read: string[] = [];
    const log: StreamReader = {
      readStream: (...call) => {
        read.push(call[0]);
        return stores.log.readStream(...call);
      },
    };
    const stateAsOf = openStateAsOf(log, foldOfResults, 1_000_000);
    const idOf = (state: Result) => (state.life === 'present' ? state.test_result_id : null);
    expect(idOf(await stateAsOf(streams[0]!, at, {}))).to.equal(result_ids[0]);
    read.length = 0;
    const states = await Promise.all(streams.slice(1).map((each) => stateAsOf(each, at, {})));
    expect(states.map(idOf)).to.deep.equal(result_ids.slice(1));
    expect([...new Set(read)]).to.deep.equal([streamName('items', team, run_id)]);
    const metadata = async (position: Position) => {
      const state = await stateAsOf(streams[9]!, position, {});
      return state.life === 'present' ? state.metadata : null;
    };
    expect(await metadata(appended!.position)).to.deep.equal({ changed: true });
    expect(await metadata(at)).to.equal(null);
  });

  it('see an event that came after an earlier call', async () => {
    const { commands, team, runStream } = await givenRun(stores.log);
    const stateAsOf = openStateAsOf(stores.log, foldOfLabels, 1_000_000);
    const at = await stores.log.head();
    expect(await stateAsOf(runStream, at, {})).to.equal('nightly');
    const command = { type: 'UpdateRun', label: 'weekly', at: NOW } as const;
    const { appended } = await commands.execute(run, runStream, contextOf(team), command);
    expect(await stateAsOf(runStream, appended!.position, {})).to.equal('weekly');
    expect(await stateAsOf(runStream, at, {})).to.equal('nightly');
  });
});

const labelOf = (event: RecordedEvent) => (event.data as { label: string | null }).label;
const foldOfLabels = {
  initial: null as string | null,
  evolve: (_: string | null, event: RecordedEvent) => labelOf(event),
};
const foldOfResults = {
  initial: result.initial,
  evolve: (state: Result, event: RecordedEvent) =>
    result.evolve(state, event as Parameters<typeof result.evolve>[1]),
};
