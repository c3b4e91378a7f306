import { expect } from 'chai';
import { coalesce } from '../../src/concurrency/coalesce.js';
import { until } from '../contract/event-log/events.js';

describe('coalesced work', () => {
  /** Work whose runs end when the test ends them. */
  function controlled(patienceMs?: number) {
    const runs: { end(): void; fail(error: Error): void }[] = [];
    const ask = coalesce(
      () =>
        new Promise<number>((resolve, reject) => {
          const n = runs.length + 1;
          runs.push({ end: () => resolve(n), fail: reject });
        }),
      patienceMs,
    );
    return { runs, ask };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('begins at once when no run is under way', async () => {
    const { runs, ask } = controlled();
    const first = ask();
    runs[0]!.end();
    expect(await first).to.equal(1);
    const second = ask();
    runs[1]!.end();
    expect(await second).to.equal(2);
  });

  it('answers calls that come during a run by one further run, shared by all of them', async () => {
    const { runs, ask } = controlled();
    const first = ask();
    const late = [ask(), ask(), ask()];
    await turn();
    expect(runs).to.have.length(1);
    runs[0]!.end();
    expect(await first).to.equal(1);
    await turn();
    const later = ask();
    runs[1]!.end();
    expect(await Promise.all(late)).to.deep.equal([2, 2, 2]);
    await turn();
    runs[2]!.end();
    expect(await later).to.equal(3);
    expect(runs).to.have.length(3);
  });

  it('has one run at a time, also when a caller calls again as soon as it has its answer', async () => {
    const { runs, ask } = controlled();
    const again = ask().then(() => ask());
    const late = ask();
    runs[0]!.end();
    await turn();
    expect(runs).to.have.length(2);
    runs[1]!.end();
    expect(await Promise.all([late, again])).to.deep.equal([2, 2]);
  });

  it('begins a run beside one that takes longer than the patience, and answers each caller by its own run', async () => {
    const { runs, ask } = controlled(5);
    const hanging = ask();
    const late = [ask(), ask()];
    await until('the second run', () => runs.length === 2);
    const later = ask();
    runs[1]!.end();
    expect(await Promise.all(late)).to.deep.equal([2, 2]);
    await until('the third run', () => runs.length === 3);
    runs[0]!.end();
    runs[2]!.end();
    expect(await Promise.all([hanging, later])).to.deep.equal([1, 3]);
  });

  it('begins the next run after one that failed, and the fault reaches only the callers that shared it', async () => {
    const { runs, ask } = controlled();
    const first = ask().catch((error: Error) => error.message);
    const late = ask();
    runs[0]!.fail(new Error('away'));
    expect(await first).to.equal('away');
    await turn();
    runs[1]!.end();
    expect(await late).to.equal(2);
  });
});
