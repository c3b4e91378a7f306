import { expect } from 'chai';
import { join } from 'node:path';
import { openEsdbLog } from '../../src/adapters/eventstoredb/log.js';
import { START, type RecordedEvent } from '../../src/domain/event.js';
import { answerOf } from '../cli/answers.js';
import { allEvents, eventsOf } from '../cli/logs.js';
import { servers, until } from '../kit/process.js';
import { writeHistory } from '../process/write-history.js';
import { emptyStoresOf, serversOfTheRun } from '../kit/store-urls.js';

/** A copy sends as many at a time, and the server may store those that were on their way at the kill. */
const AT_A_TIME = 1_000;

describe('testledger copy-log between files and EventStoreDB', () => {
  const given = servers();
  const url = () => emptyStoresOf({ events: serversOfTheRun().events! }).EVENTS_URL!;

  it('goes on after a kill -9, and keeps ids, order, times and content there and back', async () => {
    const [source, back] = [join(given.folder, 'source'), join(given.folder, 'back')];
    const { events } = await writeHistory(source, 6);
    const copy = (from: string, to: string) => given.cli(['copy-log', '--json', '--from', from, '--to', to]);

    /** Kills a copy early. One that this process was too slow for is made once more, into another log. */
    const killed = async () => {
      for (;;) {
        const server = url();
        const first = copy(`file:${source}`, server);
        const log = await openEsdbLog({ url: server });
        await until('some events to be copied', async () => (await log.head()) !== START);
        first.signal('SIGKILL');
        await first.ended;
        const stored = (await eventsOf(log)).length;
        if (stored + AT_A_TIME < events) return { server, log, stored };
        await log.close();
      }
    };

    const { server, log, stored } = await killed();
    try {
      const second = await answerOf(copy(`file:${source}`, server));
      expect(second.code, second.stderr).to.equal(0);
      expect(second.document).to.include({ events, verified: true });
      expect(second.document['copied'])
        .to.be.above(0)
        .and.at.most(events - stored);
      expect(withoutPosition(await eventsOf(log))).to.deep.equal(withoutPosition(await allEvents(source)));
    } finally {
      await log.close();
    }

    const third = await answerOf(copy(server, `file:${back}`));
    expect(third.document, third.stderr).to.include({ events, copied: events, verified: true });
    expect(await allEvents(back)).to.deep.equal(await allEvents(source));
  });
});

function withoutPosition(events: readonly RecordedEvent[]): Omit<RecordedEvent, 'position'>[] {
  return events.map(({ position: _, ...rest }) => rest);
}
