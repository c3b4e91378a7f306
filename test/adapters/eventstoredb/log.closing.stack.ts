import { expect } from 'chai';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import { START, streamName } from '../../../src/domain/event.js';
import { following, newEvent, newEvents, newTeam, refusal, until } from '../../contract/event-log/events.js';
import { inNewNamespace, sharedServer } from './test-url.js';

describe('the event log: EventStoreDB, closing', function () {
  const stream = streamName('run', newTeam(), 'x');

  it('answers all appends that were sent before, and refuses later ones', async () => {
    const log = await openEsdbLog({ url: inNewNamespace(sharedServer()) });
    // More at once would measure whether the server answers them within the limit of a call.
    const sent = newEvents(100).map((event) => log.append(stream, 'any', [event]));
    const closing = log.close();
    await refusal(log.append(stream, 'any', [newEvent()]), 'log_unavailable');
    await closing;
    expect(await Promise.all(sent)).to.have.length(100);
    await refusal(log.readStream(stream), 'log_unavailable');
    await refusal(log.readAll({ after: START }), 'log_unavailable');
    await refusal(log.head(), 'log_unavailable');
    await refusal(following(log, { after: START }).stop(), 'log_unavailable');
    await log.close();
  });

  it('ends followers with an error, so that none takes it for the end of the log', async () => {
    const log = await openEsdbLog({ url: inNewNamespace(sharedServer()) });
    const follower = following(log, { after: START });
    await until('waiting', () => follower.caughtUp());
    await log.close();
    await refusal(follower.stop(), 'log_unavailable');
  });

  it('leaves other openings of the same server alone', async () => {
    const url = inNewNamespace(sharedServer());
    const [one, other] = [await openEsdbLog({ url }), await openEsdbLog({ url })];
    const follower = following(other, { after: START });
    await one.append(stream, 'none', newEvents(2));
    await one.close();
    await other.append(stream, 1, newEvents(2));
    await until('the events', () => follower.events().length === 4);
    await follower.stop();
    // The next opening may begin while the last one closes.
    const closing = other.close();
    const next = await openEsdbLog({ url });
    await closing;
    expect((await next.readStream(stream)).events).to.have.length(4);
    await next.close();
  });
});
