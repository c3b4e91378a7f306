import { expect } from 'chai';
import { openNotifier } from '../../src/concurrency/notifier.js';

describe('a notifier', () => {
  it('ends every wait that began before the notification', async () => {
    const notifier = openNotifier();
    const waits = [1, 2, 3].map(() => notifier.wait(notifier.count(), 60_000));
    notifier.notify();
    expect(await Promise.all(waits)).to.deep.equal(['called', 'called', 'called']);
  });

  it('ends a wait at once when the notification came between the check and the wait', async () => {
    const notifier = openNotifier();
    const seen = notifier.count();
    notifier.notify();
    expect(await notifier.wait(seen, 60_000)).to.equal('called');
  });

  it('ends a wait at its limit, and at the abort, and a wait without a limit only by a notification', async () => {
    const notifier = openNotifier();
    const abort = new AbortController();
    const endless = notifier.wait(notifier.count(), Infinity);
    const aborted = notifier.wait(notifier.count(), 60_000, abort.signal);
    expect(await notifier.wait(notifier.count(), 1)).to.equal('timeout');
    abort.abort();
    expect(await aborted).to.equal('aborted');
    expect(await notifier.wait(notifier.count(), 60_000, abort.signal)).to.equal('aborted');
    notifier.notify();
    expect(await endless).to.equal('called');
  });

  it('lets a caller that was notified wait again for the next notification', async () => {
    const notifier = openNotifier();
    const ends: string[] = [];
    const waiting = (async () => {
      for (let n = 0; n < 3; n += 1) ends.push(await notifier.wait(notifier.count(), 60_000));
    })();
    while (ends.length < 3) {
      notifier.notify();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waiting;
    expect(ends).to.deep.equal(['called', 'called', 'called']);
  });

  describe('waits for a condition', () => {
    it('that holds already, or holds after some notifications', async () => {
      const notifier = openNotifier();
      let value = 0;
      expect(await notifier.until(() => value === 0, 60_000)).to.equal(true);
      const reached = notifier.until(() => value >= 3, 60_000);
      for (; value < 3; value += 1) {
        notifier.notify();
        await new Promise((resolve) => setImmediate(resolve));
      }
      notifier.notify();
      expect(await reached).to.equal(true);
    });

    it('until the limit or the abort, however often it is notified before', async () => {
      const notifier = openNotifier();
      const never = notifier.until(() => false, 20);
      notifier.notify();
      expect(await never).to.equal(false);
      expect(await notifier.until(() => false, 60_000, AbortSignal.abort())).to.equal(false);
    });
  });
});
