import { expect } from 'chai';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { answerCalls, callsTo, type Caller, type Calls } from '../../src/concurrency/thread-calls.js';
import { fail, isAppError, AppError } from '../../src/errors.js';
import { until } from '../contract/event-log/events.js';

describe('calls between threads', () => {
  let ports: MessagePort[] = [];
  afterEach(() => {
    for (const port of ports.splice(0)) port.close();
  });
  function ends<C extends Calls>(handlers: C): { calls: Caller<C>; here: MessagePort; there: MessagePort } {
    const { port1: here, port2: there } = new MessageChannel();
    ports = [here, there];
    answerCalls(there, handlers);
    return { calls: callsTo<C>(here), here, there };
  }
  const fault = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

  it('get each its own answer, in whatever order the answers come', async () => {
    const held: (() => void)[] = [];
    const { calls } = ends({
      twice: (n: number) => new Promise<number>((resolve) => held.push(() => resolve(2 * n))),
    });
    const both = [calls.call('twice', 1), calls.call('twice', 2)];
    await until('both calls', () => held.length === 2);
    for (const answer of held.toReversed()) answer();
    expect(await Promise.all(both)).to.deep.equal([2, 4]);
  });

  it('of one turn are one message, in their order, and so are answers that are there together', async () => {
    const seen: number[] = [];
    const { calls, here, there } = ends({ number: (n: number) => void seen.push(n) });
    let messages = 0;
    let answers = 0;
    there.on('message', () => (messages += 1));
    here.on('message', () => (answers += 1));
    await Promise.all([1, 2, 3].map((n) => calls.call('number', n)));
    expect(seen).to.deep.equal([1, 2, 3]);
    expect([messages, answers]).to.deep.equal([1, 1]);
  });

  it('that want no answer come at once, after all earlier calls', async () => {
    const seen: string[] = [];
    const { calls } = ends({ say: (word: string) => void seen.push(word) });
    const first = calls.call('say', 'first');
    calls.tell('say', 'second');
    await first;
    expect(seen).to.deep.equal(['first', 'second']);
  });

  it('move what they transfer', async () => {
    const { calls } = ends({ size: (bytes: Uint8Array) => bytes.byteLength });
    const bytes = new Uint8Array(1_000);
    expect(await calls.call('size', bytes, [bytes.buffer])).to.equal(1_000);
    expect(bytes.byteLength).to.equal(0);
  });

  it('fail with the same code, detail, fields and retry time, and the reason of the cause', async () => {
    const fields = [{ pointer: '/name', code: 'required', detail: 'is missing' }] as const;
    const { calls } = ends({
      append: () =>
        fail('log_unavailable', 'The disk is full.', { retryAfter: 7, fields, cause: Error('ENOSPC') }),
    });
    const error = (await fault(calls.call('append', null as never))) as AppError;
    expect(isAppError(error, 'log_unavailable')).to.equal(true);
    expect(error).to.deep.include({ message: 'The disk is full.', retryAfter: 7, fields });
    expect(String(error.cause)).to.include('ENOSPC');
  });

  it('fail with the reason and the stack of a fault of ours', async () => {
    const wrong = new TypeError('no such thing');
    const { calls } = ends({
      wrong: () => {
        throw wrong;
      },
    });
    const error = (await fault(calls.call('wrong', null as never))) as Error;
    expect(isAppError(error)).to.equal(false);
    expect(error).to.include({ message: 'no such thing', stack: wrong.stack });
  });

  it('are refused when the other side is lost: those that wait and all later ones', async () => {
    const { calls } = ends({ never: () => new Promise(() => {}) });
    const waiting = fault(calls.call('never', null as never));
    const lost = new AppError('overloaded', 'It has ended.');
    calls.lost(lost);
    expect(await waiting).to.equal(lost);
    expect(await fault(calls.call('never', null as never))).to.equal(lost);
  });
});
