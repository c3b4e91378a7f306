import { expect } from 'chai';
import { openPointExchange, type PointExchange } from '../../../src/concurrency/shared-points.js';
import { fail } from '../../../src/errors.js';
import { openUploadCounts, type UploadCounts } from '../../../src/http/backpressure/upload-counts.js';
import { eventually } from '../../stores.js';

const HOUR_MS = 3_600_000;

describe('the counts of uploads', () => {
  let now = Date.parse('2026-11-21T12:34:56.789Z');
  const opened = () => {
    now = Date.parse('2026-11-21T12:34:56.789Z');
    return openUploadCounts(() => new Date(now));
  };
  const refused = () => Promise.resolve().then(() => fail('invalid_json', 'Not JSON.'));

  it('are by team, hour and outcome, the newest hour first', async () => {
    const counts = opened();
    await counts.counting('a', async () => 1);
    await counts.counting('a', async () => 2);
    await counts.counting('a', refused).catch(() => undefined);
    await counts.counting('b', async () => 3);
    now += HOUR_MS;
    await counts.counting('a', async () => 4);
    expect(counts.of('a')).to.deep.equal([
      { hour: '2026-11-21T13:00:00.000Z', outcome: 'accepted', count: 1 },
      { hour: '2026-11-21T12:00:00.000Z', outcome: 'accepted', count: 2 },
      { hour: '2026-11-21T12:00:00.000Z', outcome: 'invalid_json', count: 1 },
    ]);
    expect(counts.of('b')).to.have.length(1);
    expect(counts.of('c')).to.deep.equal([]);
  });

  it('leave what the work returns and throws as it is', async () => {
    const counts = opened();
    expect(await counts.counting('a', async () => 'done')).to.equal('done');
    const fault = new Error('a fault');
    const caught = await counts.counting('a', () => Promise.reject(fault)).catch((error: unknown) => error);
    expect(caught).to.equal(fault);
    expect(counts.of('a').map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'internal']);
  });

  it('are those of the last 24 hours, also for a team that uploads no more', async () => {
    const counts = opened();
    await counts.counting('a', async () => 1);
    now += 23 * HOUR_MS;
    expect(counts.of('a')).to.have.length(1);
    now += HOUR_MS;
    expect(counts.of('a')).to.have.length(0);
  });

  it('are the same in all processes of a server, and another server has its own', async () => {
    const exchanges: PointExchange[] = [];
    const opened = (n: number) => {
      exchanges[n] = openPointExchange((taken) => exchanges[1 - n]!.received(taken));
      return openUploadCounts(() => new Date(now), exchanges[n].of('uploads'));
    };
    const [one, other, elsewhere] = [opened(0), opened(1), openUploadCounts(() => new Date(now))];
    await one.counting('a', async () => 1);
    await other.counting('a', refused).catch(() => undefined);
    const outcomes = (counts: UploadCounts) =>
      counts
        .of('a')
        .map(({ outcome }) => outcome)
        .toSorted();
    await eventually('both to know both', () =>
      [one, other].every((counts) => outcomes(counts).join() === 'accepted,invalid_json'),
    );
    expect(elsewhere.of('a')).to.deep.equal([]);
    for (const exchange of exchanges) exchange.close();
  });

  it('leave out what another server counts that this one does not know, and counts below one', () => {
    const exchange = openPointExchange(() => undefined);
    const counts = openUploadCounts(() => new Date(now), exchange.of('uploads'));
    exchange.received([
      ['uploads', 'a of_a_newer_server', 1],
      ['uploads', 'a toString', 1],
      ['uploads', 'a accepted', -1],
      ['uploads', 'a', 1],
    ]);
    expect(counts.of('a')).to.deep.equal([]);
    exchange.close();
  });

  it('hold up to 1,000 teams', async () => {
    const counts = opened();
    for (let n = 0; n <= 1_000; n += 1) await counts.counting(`team ${n}`, async () => n);
    expect(counts.of('team 0')).to.deep.equal([]);
    expect(counts.of('team 1')).to.have.length(1);
    expect(counts.of('team 1000')).to.have.length(1);
  });
});
