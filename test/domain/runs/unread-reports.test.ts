import { expect } from 'chai';
import { reportOf, withReport, type UnreadReport } from '../../../src/domain/runs/unread-reports.js';

const cut = (failures_unread: number) => ({ partial: true, failures_unread });
const shard = (index: number, attempt = 1) => ({ index, total: 2, attempt });

type Call = Parameters<typeof withReport>[1];
const after = (...calls: Call[]) =>
  reportOf(calls.reduce<readonly UnreadReport[] | undefined>(withReport, undefined));

describe('the reports of a run', () => {
  it('are whole where no call says otherwise', () => {
    expect(withReport(undefined, { shard: null })).to.equal(undefined);
    expect(after({ shard: null })).to.deep.equal({ partial: false, failures_unread: 0 });
  });

  it('are cut where one of them is, and their unread failures add up', () => {
    const all = after({ shard: shard(1), report: cut(2) }, { shard: shard(2), report: cut(1) });
    expect(all).to.deep.equal({ partial: true, failures_unread: 3 });
    const once = after({ shard: null, report: cut(2) }, { shard: null });
    expect(once).to.deep.equal({ partial: true, failures_unread: 2 });
  });

  it('are those of the highest attempt of each shard', () => {
    const again = after({ shard: shard(1), report: cut(2) }, { shard: shard(1, 2) });
    expect(again).to.deep.equal({ partial: false, failures_unread: 0 });
    const worse = after({ shard: shard(1), report: cut(2) }, { shard: shard(1, 2), report: cut(5) });
    expect(worse).to.deep.equal({ partial: true, failures_unread: 5 });
    const other = after({ shard: shard(1), report: cut(2) }, { shard: shard(2, 2) });
    expect(other.partial).to.equal(true);
  });
});
