import { expect } from 'chai';
import { startHeartbeat } from '../../src/leases/lease-heartbeat.js';
import { LEASE_MS, type Lease } from '../../src/leases/lease.js';

describe('the heartbeat of a lease', () => {
  const lease: Lease = {
    epoch: 1,
    alone: false,
    renew: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  };

  it('knows by the clock that a lease has lapsed, before a timer can say so: a process was frozen', async () => {
    let lost = 0;
    const start = (since: number) =>
      startHeartbeat(lease, { since, lost: () => void (lost += 1), report: () => undefined });
    const fresh = start(performance.now());
    const frozen = start(performance.now() - LEASE_MS);
    expect(fresh.isHeld()).to.equal(true);
    expect(frozen.isHeld()).to.equal(false);
    expect(lost, 'no timer has run yet').to.equal(0);
    await Promise.all([fresh.end(), frozen.end()]);
  });

  it('keeps a lease that no other process can take, however long its renewals do not come', async () => {
    const since = performance.now() - LEASE_MS;
    let lost = 0;
    const report = () => undefined;
    const alone = startHeartbeat({ ...lease, alone: true }, { since, lost: () => void (lost += 1), report });
    await new Promise<void>((lapsed) => {
      const other = startHeartbeat(lease, { since, lost: () => void other.end().then(lapsed), report });
    });
    expect([alone.isHeld(), lost]).to.deep.equal([true, 0]);
    await alone.end();
  });
});
