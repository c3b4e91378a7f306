import { expect } from 'chai';
import { sleep } from '../../src/concurrency/sleep.js';
import { withTimeout } from '../../src/concurrency/with-timeout.js';

describe('a sleep', () => {
  it('ends after its time, or at the abort, without an error', async () => {
    const abort = new AbortController();
    await sleep(1, abort.signal);
    const long = sleep(60_000, abort.signal);
    abort.abort();
    await long;
    await sleep(60_000, abort.signal);
  });
});

describe('work with a timeout', () => {
  it('gives its value or its fault in time', async () => {
    expect(await withTimeout(60_000, Promise.resolve(1), () => 2)).to.equal(1);
    const fault = new Error('no');
    const given = await withTimeout(60_000, Promise.reject(fault), () => 2).catch((error: unknown) => error);
    expect(given).to.equal(fault);
  });

  it('starts no timer for work that has ended', async () => {
    const started: (number | undefined)[] = [];
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((callback: () => void, ms?: number) => {
      started.push(ms);
      return setTimeout(callback, ms);
    }) as typeof setTimeout;
    try {
      expect(await withTimeout(60_001, Promise.resolve(1), () => 2)).to.equal(1);
      const later = new Promise((resolve) => setImmediate(resolve, 3));
      expect(await withTimeout(60_002, later, () => 4)).to.equal(3);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    expect(started).to.include(60_002).and.not.include(60_001);
  });

  it('gives what `late` returns or throws after its time', async () => {
    const never = new Promise<number>(() => undefined);
    expect(await withTimeout(1, never, () => 2)).to.equal(2);
    const late = () => {
      throw new Error('too late');
    };
    expect(await withTimeout(1, never, late).catch((error: Error) => error.message)).to.equal('too late');
  });
});
