import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { openMemoryBudget, type BudgetLimits } from '../../../src/http/memory-budget.js';
import { refusal } from '../../contract/event-log/events.js';

describe('a budget of memory', () => {
  const limits: BudgetLimits = { bytes: 100, ofTeam: 50, ofKey: 30, waiting: 4, waitMs: 60_000 };
  const open = (more: Partial<BudgetLimits> = {}) => {
    const budget = openMemoryBudget({ ...limits, ...more });
    /** A request of the key `a1` of the team `a`, for example. */
    return (key: string, response = answer()) => budget({ team_id: key[0]!, key_id: key }, response);
  };
  function answer(): ServerResponse {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    return Object.assign(new EventEmitter(), { req: { socket } }) as unknown as ServerResponse;
  }
  /** True if the bytes are reserved at once. */
  async function atOnce(reserving: Promise<void>): Promise<boolean> {
    const turn = new Promise((resolve) => void setImmediate(resolve, 'not yet'));
    return (await Promise.race([reserving, turn])) !== 'not yet';
  }

  it('gives a key and a team no more than their shares, and others the rest', async () => {
    const request = open();
    expect(await atOnce(request('a1').reserve(30))).to.equal(true);
    expect(await atOnce(request('a1').reserve(1)), 'of the key').to.equal(false);
    expect(await atOnce(request('a2').reserve(20))).to.equal(true);
    expect(await atOnce(request('a3').reserve(1)), 'of the team').to.equal(false);
    expect(await atOnce(request('b1').reserve(30))).to.equal(true);
    expect(await atOnce(request('c1').reserve(20))).to.equal(true);
    expect(await atOnce(request('d1').reserve(1)), 'of all').to.equal(false);
  });

  it('lets requests wait for their bytes, and refuses them after a time with the seconds to wait', async () => {
    const request = open({ waitMs: 20 });
    const first = request('a1');
    await first.reserve(30);
    const error = await refusal(request('a1').reserve(10), 'overloaded');
    expect(error).to.include({ retryAfter: 2 });
    const next = request('a1').reserve(10);
    first.release();
    expect(await atOnce(next)).to.equal(true);
  });

  it('refuses at once where too many wait, half of them of one team', async () => {
    const request = open();
    await request('a1').reserve(30);
    await request('b1').reserve(30);
    void request('a1').reserve(1);
    void request('a1').reserve(1);
    await refusal(request('a1').reserve(1), 'overloaded');
    void request('b1').reserve(1);
    expect(await atOnce(request('c1').reserve(1))).to.equal(true);
  });

  it('loses no byte by clients that go while they wait', async () => {
    const request = open();
    const first = request('a1');
    await first.reserve(30);
    for (let n = 0; n < 10; n += 1) {
      const gone = answer();
      const waiting = request('a1', gone).reserve(30);
      const source: EventEmitter = n % 2 === 0 ? gone : gone.req.socket;
      source.emit('close');
      await refusal(waiting, 'malformed_request');
      expect([gone.listenerCount('close')]).to.deep.equal([0]);
    }
    first.release();
    expect(await atOnce(request('a1').reserve(30))).to.equal(true);
  });

  it('counts what a request really holds, and says whether more fits', async () => {
    const request = open();
    const first = request('a1');
    await first.reserve(20);
    const second = request('a1');
    expect([first.fits(30), first.fits(31), second.fits(10), second.fits(11)]).to.deep.equal([
      true,
      // More than the share of a key counts as the share.
      true,
      true,
      false,
    ]);
    first.hold(5);
    expect(second.fits(25)).to.equal(true);
    second.hold(1_000);
    expect(await atOnce(request('a1').reserve(1))).to.equal(false);
    expect(await atOnce(request('a2').reserve(16))).to.equal(false);
    second.release();
    expect(await atOnce(request('a1').reserve(9))).to.equal(true);
  });

  it('gives a released reservation nothing more, also one that was waiting', async () => {
    const request = open();
    const ended = request('a1');
    ended.release();
    await refusal(ended.reserve(30), 'malformed_request');
    ended.hold(30);
    const first = request('a1');
    expect(await atOnce(first.reserve(30)), 'nothing is held').to.equal(true);
    const waiting = request('a1');
    const reserving = refusal(waiting.reserve(30), 'malformed_request');
    waiting.release();
    first.release();
    await reserving;
    expect(await atOnce(request('a1').reserve(30)), 'it is given back').to.equal(true);
  });

  it('is free again after everything is released, however often', async () => {
    const request = open();
    for (const key of ['a1', 'b1', 'c1', 'd1']) {
      const each = request(key);
      await each.reserve(10);
      each.hold(25);
      each.release();
      each.release();
    }
    for (const key of ['a1', 'b1', 'c1']) expect(await atOnce(request(key).reserve(30))).to.equal(true);
  });
});
