import { expect } from 'chai';
import { EventEmitter, getEventListeners } from 'node:events';
import { unlessAborted } from '../../src/concurrency/unless-aborted.js';
import { waitForCallback } from '../../src/concurrency/wait-for-callback.js';

describe('a wait for a callback', () => {
  const emitter = new EventEmitter();
  const subscribe = (callback: () => void) => {
    emitter.on('event', callback);
    return () => emitter.off('event', callback);
  };

  it('says how it ended, and leaves no subscription and no listener behind', async () => {
    for (const [how, cause] of [
      ['called', () => emitter.emit('event')],
      ['aborted', (abort: AbortController) => abort.abort()],
      ['timeout', () => undefined],
    ] as const) {
      const abort = new AbortController();
      const { signal } = abort;
      const waiting = waitForCallback(subscribe, { withinMs: how === 'timeout' ? 1 : 60_000, signal });
      cause(abort);
      expect(await waiting).to.equal(how);
      expect(emitter.listenerCount('event'), how).to.equal(0);
      expect(getEventListeners(signal, 'abort'), how).to.have.length(0);
    }
  });

  it('does not subscribe when the signal is aborted already', async () => {
    const never = () => expect.fail('it subscribed');
    expect(await waitForCallback(never, { signal: AbortSignal.abort() })).to.equal('aborted');
  });
});

describe('a promise, unless it is aborted,', () => {
  it('gives its value or its fault', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).to.equal(1);
    const fault = new Error('no');
    const given = await unlessAborted(Promise.reject(fault), signal).catch((error: unknown) => error);
    expect(given).to.equal(fault);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('is null after the abort, also when it fails later', async () => {
    const abort = new AbortController();
    let fail = (_: Error): void => undefined;
    const work = new Promise<number>((_, reject) => (fail = reject));
    const waiting = unlessAborted(work, abort.signal);
    abort.abort();
    expect(await waiting).to.equal(null);
    expect(await unlessAborted(work, abort.signal)).to.equal(null);
    fail(new Error('later'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
