import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { openBulkGate, type BulkGate } from '../../../src/http/bulk/gate.js';
import { refusal } from '../../contract/event-log.events.js';

describe('the gate of bulk submissions', () => {
  const client = () => new EventEmitter() as unknown as ServerResponse;
  /** Whether it is let in before anything else happens. */
  async function isIn(entering: Promise<unknown>): Promise<boolean> {
    const turn = new Promise((resolve) => void setImmediate(resolve, 'not yet'));
    return (await Promise.race([entering, turn])) !== 'not yet';
  }
  const full = async (gate: BulkGate) =>
    [await gate.enter(client(), 'a'), await gate.enter(client(), 'a')] as const;

  it('lets in two, and the next when one has left, in the order in which they came', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const [third, fourth] = [gate.enter(client(), 'a'), gate.enter(client(), 'a')];
    expect(await isIn(third)).to.equal(false);
    leave();
    expect(await isIn(third)).to.equal(true);
    expect(await isIn(fourth)).to.equal(false);
    (await third)();
    (await fourth)();
  });

  it('is left once, however often that is said', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    leave();
    leave();
    await gate.enter(client(), 'a');
    const next = gate.enter(client(), 'a');
    expect(await isIn(next)).to.equal(false);
  });

  it('turns away who has waited too long, saying when to come back, and gives the turn to another', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 20 });
    const [leave] = await full(gate);
    const error = await refusal(gate.enter(client(), 'a'), 'overloaded');
    expect(error).to.include({ retryAfter: 5 });
    leave();
    expect(await isIn(gate.enter(client(), 'a'))).to.equal(true);
  });

  it('lets whose client has gone out of the queue at once, and nobody waits for him', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const gone = client();
    const [third, fourth] = [gate.enter(gone, 'a'), gate.enter(client(), 'a')];
    gone.emit('close');
    await refusal(third, 'invalid_json');
    leave();
    expect(await isIn(fourth)).to.equal(true);
    expect(gone.listenerCount('close')).to.equal(0);
  });

  it('leaves a place to each team that wants one, however many another has waiting', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 60_000 });
    const [leave, leaveToo] = await full(gate);
    const more = Array.from({ length: 3 }, () => gate.enter(client(), 'a'));
    const others = [gate.enter(client(), 'b'), gate.enter(client(), 'b')];
    leave();
    expect(await isIn(others[0]!)).to.equal(true);
    leaveToo();
    // Each has one: then the order counts.
    expect(await isIn(more[0]!)).to.equal(true);
    expect(await isIn(others[1]!)).to.equal(false);
    (await others[0]!)();
    expect(await isIn(others[1]!)).to.equal(true);
    expect(await isIn(more[1]!)).to.equal(false);
  });

  it('that is closed turns away at once who waits and who would have to, and nobody else', async () => {
    const gate = openBulkGate({ slots: 2, waitMs: 60_000 });
    const [leave] = await full(gate);
    const waiting = gate.enter(client(), 'a');
    gate.close();
    await refusal(waiting, 'shutting_down');
    await refusal(gate.enter(client(), 'b'), 'shutting_down');
    leave();
    expect(await isIn(gate.enter(client(), 'b'))).to.equal(true);
  });
});
