import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { validatedLog } from '../../src/log/validated-log.js';
import type { NewEvent } from '../../src/domain/event.js';
import { newResult } from '../domain/results/facts.js';
import { mistake, newEvent } from '../contract/event-log/events.js';
import { embeddedStores } from '../stores.js';

describe('a validated log', () => {
  const stores = embeddedStores('each suite');
  const right = () => newEvent(newResult());
  const newStream = () => `result-team_1.${newIds.created('result')}`;

  for (const [name, wrong, message] of [
    ['has too few fields', { data: { result_id: 'result_1' } }, 'not a valid ResultCreated.v1'],
    ['has a wrong value', { data: newResult({ attempt: 0 }) }, 'not a valid ResultCreated.v1: /attempt'],
    ['has too many fields', { data: { ...newResult(), more: 1 } }, 'not a valid ResultCreated.v1'],
    ['has an unknown type', { type: 'ResultVanished' }, 'no schema for the event ResultVanished.v1'],
    ['has a later version', { version: 2 }, 'no schema for the event ResultCreated.v2'],
  ] as const satisfies readonly [string, Partial<NewEvent>, string][]) {
    it(`refuses an event that ${name}, and writes no event of its call`, async () => {
      const { log } = stores;
      const [stream, head] = [newStream(), await log.head()];
      const events = [right(), { ...right(), ...wrong }];
      const error = await mistake(() => log.append(stream, 'none', events));
      expect(error.message).to.include(message);
      expect((await log.readStream(stream)).events).to.deep.equal([]);
      expect(await log.head()).to.equal(head);
    });
  }

  it('takes events that match their schemas, and otherwise works as the log below it', async () => {
    // A second wrapper, as the program makes it, around the log of the stores.
    const log = validatedLog(stores.log);
    const stream = newStream();
    const events = [right(), right()];
    expect((await log.append(stream, 'none', events)).revision).to.equal(1);
    expect((await log.readStream(stream)).events.map(({ id }) => id)).to.deep.equal(
      events.map(({ id }) => id),
    );
  });
});
