import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openAdmission, type Holder, type Release } from '../../src/admission/admission.js';
import { kinds } from '../../src/admission/kinds.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';

/** A request of the key `a1` of the team `a`, for example. */
const holderOf = (key: string, more: Partial<Holder> = {}): Holder => ({ team: key[0]!, key, ...more });

/** True if the promise is fulfilled at once. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise, setImmediate('not yet')])) !== 'not yet';
}

describe('admission', () => {
  it('has shares that fit into each other, for every kind', () => {
    for (const [name, { places }] of Object.entries(kinds)) {
      const { all, perTeam, perKey = 1 } = places;
      expect(perKey <= perTeam && perTeam <= all, name).to.equal(true);
    }
  });

  describe('to places', () => {
    const open = (waitMs = 60_000) => {
      const places = { perKey: 2, perTeam: 3, all: 4 };
      const waits = { ms: waitMs, perTeam: 100 };
      const admission = openAdmission({ replayPages: { places, waits } });
      return {
        ...admission,
        enter: (key: string, more?: Partial<Holder>) => admission.admit('replayPages', holderOf(key, more)),
      };
    };
    const refused = (entering: Promise<Release>) =>
      refusal(entering, 'too_many_replays').then((error) => {
        expect(error).to.include({ retryAfter: 5 });
        return error.message;
      });

    it('is limited for each key, each team and the process', async () => {
      const { enter } = open(1);
      for (const key of ['a1', 'a1', 'a2']) await enter(key);
      expect(await refused(enter('a1'))).to.match(/^This key reads 4 pages/);
      expect(await refused(enter('a3'))).to.match(/^This team reads 8 pages/);
      await enter('b1');
      expect(await refused(enter('c1'))).to.match(/server sends as many/);
    });

    it('is given to those who wait, and to a team without places before one with some', async () => {
      const { enter } = open();
      const leave = await enter('a1');
      for (const key of ['a1', 'a2']) await enter(key);
      const last = await enter('b1');
      const entered: string[] = [];
      const waits = ['a9', 'b9', 'c9'].map((key) => enter(key).then(() => entered.push(key)));
      await setImmediate();
      leave();
      await Promise.race(waits);
      expect(entered).to.deep.equal(['c9']);
      last();
      await Promise.race([waits[0], waits[1]]);
      expect(entered).to.deep.equal(['c9', 'b9']);
    });

    it('is refused at once to a team of which many wait, and to no other', async () => {
      const { enter } = open(200);
      for (const key of ['a1', 'a1', 'a2']) await enter(key);
      const waits = Array.from({ length: 100 }, () => refused(enter('a3')));
      expect(await refused(enter('a3'))).to.match(/^Too many requests of this team wait/);
      await enter('b1');
      await Promise.all(waits);
      expect(await refused(enter('a3')), 'nothing is left of those that waited').to.match(/^This team reads/);
    });

    it('is refused at once to everyone where too many wait in all', async () => {
      const waits = { ms: 60_000, all: 2 };
      const { admit } = openAdmission({ submissions: { places: { all: 3, perTeam: 1 }, waits } });
      for (const team of ['a', 'b']) {
        await admit('submissions', { team });
        void admit('submissions', { team });
      }
      expect(await refusal(admit('submissions', { team: 'a' }), 'overloaded')).to.include({ retryAfter: 5 });
      await admit('submissions', { team: 'c' });
      await refusal(admit('submissions', { team: 'c' }), 'overloaded');
    });

    it('is lost by no wait that ends with its client or its signal, and given back once', async () => {
      const { enter } = open();
      const first = await enter('a1');
      await enter('a1');
      const watched = new Set<() => void>();
      const untilGone = (gone: () => void) => {
        watched.add(gone);
        return () => void watched.delete(gone);
      };
      for (let n = 0; n < 10; n += 1) {
        const abort = new AbortController();
        const waiting = refused(enter('a1', { untilGone, signal: abort.signal }));
        if (n % 2 === 0) abort.abort();
        else for (const gone of watched) gone();
        await waiting;
        expect(watched.size).to.equal(0);
      }
      await refused(enter('b1', { signal: AbortSignal.abort() }));
      first();
      first();
      expect(await isDone(enter('a1'))).to.equal(true);
      expect(await isDone(enter('a1'))).to.equal(false);
    });

    it('does not wait where the kind has no time for it', async () => {
      const { admitNow } = openAdmission({ uploads: { places: { perKey: 1, perTeam: 2, all: 3 } } });
      const details = ['a1', 'a1', 'a2', 'a3', 'b1', 'c1', 'a1'].map((key) => {
        try {
          admitNow('uploads', holderOf(key));
          return null;
        } catch (error) {
          return isAppError(error, 'overloaded') && error.message.split(' ').slice(0, 3).join(' ');
        }
      });
      const [ofFile, tooMany] = ['This file is', 'Too many files'];
      expect(details).to.deep.equal([null, ofFile, null, tooMany, null, tooMany, ofFile]);
    });

    it('is refused to those that wait, and that would have to, once the kind is closed', async () => {
      const { enter, close } = open();
      await enter('a1');
      await enter('a1');
      const waiting = enter('a1');
      close('replayPages');
      await refusal(waiting, 'shutting_down');
      await refusal(enter('a1'), 'shutting_down');
      await enter('b1');
    });
  });

  describe('to memory', () => {
    const open = () => {
      const admission = openAdmission({ bodies: { places: { all: 100, perTeam: 50, perKey: 30 } } });
      return (key: string) => admission.reserve('bodies', holderOf(key));
    };

    it('counts what a request really holds, and says whether more fits', async () => {
      const request = open();
      const first = request('a1');
      await first.take(20);
      const second = request('a1');
      // More than the share of a key counts as the share.
      const fit = [first.fits(30), first.fits(31), second.fits(10), second.fits(11)];
      expect(fit).to.deep.equal([true, true, true, false]);
      first.hold(5);
      expect(second.fits(25)).to.equal(true);
      second.hold(1_000);
      expect(await isDone(request('a1').take(1))).to.equal(false);
      expect(await isDone(request('a2').take(16))).to.equal(false);
      second.release();
      expect(await isDone(request('a1').take(9))).to.equal(true);
    });

    it('gives a released reservation nothing more, also one that was waiting', async () => {
      const request = open();
      const ended = request('a1');
      ended.release();
      await refusal(ended.take(30), 'overloaded');
      ended.hold(30);
      const first = request('a1');
      expect(await isDone(first.take(30)), 'nothing is held').to.equal(true);
      const waiting = request('a1');
      const reserving = refusal(waiting.take(30), 'overloaded');
      waiting.release();
      first.release();
      await reserving;
      expect(await isDone(request('a1').take(30)), 'it is given back').to.equal(true);
    });

    it('is free again after everything is released, however often', async () => {
      const request = open();
      for (const key of ['a1', 'b1', 'c1', 'd1']) {
        const each = request(key);
        await each.take(10);
        await each.take(5);
        each.hold(25);
        each.release();
        each.release();
      }
      for (const key of ['a1', 'b1', 'c1']) expect(await isDone(request(key).take(30))).to.equal(true);
    });
  });
});
