import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { openBulkGate, type BulkGate } from '../../../src/http/bulk/gate.js';
import { refusal } from '../../contract/event-log/events.js';

describe('the gate of bulk submissions', () => {
  function client(): ServerResponse {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    return Object.assign(new EventEmitter(), { req: { socket } }) as unknown as ServerResponse;
  }
  /** True if the request gets a slot at once. */
  async function isIn(entering: Promise<unknown>): Promise<boolean> {
    const turn = new Promise((resolve) => void setImmediate(resolve, 'not yet'));
    return (await Promise.race([entering, turn])) !== 'not yet';
  }
  const full = async (gate: BulkGate) =>
    [await gate.enter(client(), 'a'), await gate.enter(client(), 'a')] as const;

  it('gives out two slots, and the next ones in the order of arrival as others are freed', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const [third, fourth] = [gate.enter(client(), 'a'), gate.enter(client(), 'a')];
    expect(await isIn(third)).to.equal(false);
    leave();
    expect(await isIn(third)).to.equal(true);
    expect(await isIn(fourth)).to.equal(false);
    (await third)();
    (await fourth)();
  });

  it('frees a slot once, however often it is returned', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    leave();
    leave();
    await gate.enter(client(), 'a');
    const next = gate.enter(client(), 'a');
    expect(await isIn(next)).to.equal(false);
  });

  it('refuses a request that has waited too long, with the time to retry, and serves the next', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 20 });
    const [leave] = await full(gate);
    const error = await refusal(gate.enter(client(), 'a'), 'overloaded');
    expect(error).to.include({ retryAfter: 5 });
    leave();
    expect(await isIn(gate.enter(client(), 'a'))).to.equal(true);
  });

  it('removes a request from the queue at once when its client has gone', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const gone = client();
    const [third, fourth] = [gate.enter(gone, 'a'), gate.enter(client(), 'a')];
    gone.emit('close');
    await refusal(third, 'invalid_json');
    leave();
    expect(await isIn(fourth)).to.equal(true);
    expect(gone.listenerCount('close')).to.equal(0);
  });

  it('gives each team a slot, however many requests another team has waiting', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 60_000 });
    const [leave, leaveToo] = await full(gate);
    const more = Array.from({ length: 3 }, () => gate.enter(client(), 'a'));
    const others = [gate.enter(client(), 'b'), gate.enter(client(), 'b')];
    leave();
    expect(await isIn(others[0]!)).to.equal(true);
    leaveToo();
    // Now the first team has none.
    expect(await isIn(more[0]!)).to.equal(true);
    expect(await isIn(others[1]!)).to.equal(false);
    (await others[0]!)();
    expect(await isIn(others[1]!)).to.equal(true);
    expect(await isIn(more[1]!)).to.equal(false);
  });

  it('gives one team no more than its share, and the rest to the next team at once', async () => {
    const gate = openBulkGate({ slots: 4, ofTeam: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const third = gate.enter(client(), 'a');
    expect(await isIn(third)).to.equal(false);
    expect(await isIn(gate.enter(client(), 'b'))).to.equal(true);
    expect(await isIn(third)).to.equal(false);
    leave();
    expect(await isIn(third)).to.equal(true);
  });

  it('refuses waiting and later requests at once after it is closed, but not those with a slot', async () => {
    const gate = openBulkGate({ slots: 2, ofTeam: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const waiting = gate.enter(client(), 'a');
    gate.close();
    await refusal(waiting, 'shutting_down');
    await refusal(gate.enter(client(), 'b'), 'shutting_down');
    leave();
    expect(await isIn(gate.enter(client(), 'b'))).to.equal(true);
  });
});
