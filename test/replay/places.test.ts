import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openPlaces, type Holder, type Places } from '../../src/replay/places.js';
import { isLedgerError } from '../../src/errors.js';

describe('the places of replays', () => {
  const holder = (team: string, key: string): Holder => ({ team, key: `${team}/${key}` });
  const open = (waitMs = 10_000) => openPlaces('pages', { perKey: 2, perTeam: 3, inAll: 4 }, waitMs);
  const refused = async (places: Places, one: Holder) => {
    try {
      await places.enter(one);
    } catch (error) {
      if (isLedgerError(error, 'too_many_replays')) return error.message;
      throw error;
    }
    return null;
  };

  it('are limited for each key, each team and the process', async () => {
    const places = open(1);
    for (const key of ['one', 'one', 'two']) await places.enter(holder('a', key));
    expect(await refused(places, holder('a', 'one'))).to.match(/^This key reads 2 pages/);
    expect(await refused(places, holder('a', 'three'))).to.match(/^This team reads 3 pages/);
    await places.enter(holder('b', 'one'));
    expect(await refused(places, holder('c', 'one'))).to.match(/server sends as many/);
    expect(await places.tryEnter(holder('c', 'one'), new AbortController().signal)).to.equal(null);
  });

  it('go to those who wait, and to a team without any before one with some', async () => {
    const places = open();
    const leave = await places.enter(holder('a', 'one'));
    for (const key of ['one', 'two']) await places.enter(holder('a', key));
    const last = await places.enter(holder('b', 'one'));
    const entered: string[] = [];
    const waits = ['a', 'b', 'c'].map((team) =>
      places.enter(holder(team, 'late')).then(() => entered.push(team)),
    );
    await setImmediate();
    leave();
    await Promise.race(waits);
    expect(entered).to.deep.equal(['c']);
    last();
    await Promise.race([waits[0], waits[1]]);
    expect(entered).to.deep.equal(['c', 'b']);
  });

  it('are refused at once to a team of which many wait, and to no other', async () => {
    const places = open(200);
    for (const key of ['one', 'one', 'two']) await places.enter(holder('a', key));
    const waits = Array.from({ length: 100 }, () => refused(places, holder('a', 'three')));
    expect(await refused(places, holder('a', 'three'))).to.match(/^Too many requests of this team wait/);
    await places.enter(holder('b', 'one'));
    expect(await Promise.all(waits)).not.to.include(null);
    const left = await refused(places, holder('a', 'three'));
    expect(left, 'nothing is left of those that waited').to.match(/^This team reads/);
  });

  it('come free when the wait of a client that has left is aborted', async () => {
    const places = open();
    const [first] = [await places.enter(holder('a', 'one')), await places.enter(holder('a', 'one'))];
    const abort = new AbortController();
    const waiting = places.tryEnter(holder('a', 'one'), abort.signal);
    abort.abort();
    expect(await waiting).to.equal(null);
    first();
    await places.enter(holder('a', 'one'));
  });
});
