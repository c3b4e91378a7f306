import { expect } from 'chai';
import { ALL_PARTITIONS, lastCharactersOf, partitionOf, union, without } from '../../src/domain/partition.js';
import { newIds } from '../../src/commands/ids.js';

describe('the partition of a team', () => {
  it('is the last character of its id, and spreads teams evenly', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 10_000; n += 1) {
      const team = newIds.created('team');
      const partition = partitionOf(team);
      expect(team.endsWith(partition)).to.equal(true);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    expect([...counts.keys()]).to.have.members(ALL_PARTITIONS.split(''));
    for (const count of counts.values()) expect(count).to.be.within(150, 500);
  });

  it('is one of the 32 for any printable id, and the last characters of all partitions are all of these', () => {
    const printable = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n));
    for (const character of printable) expect(ALL_PARTITIONS).to.include(partitionOf(`team_${character}`));
    expect(ALL_PARTITIONS.split('').flatMap(lastCharactersOf)).to.have.members(printable);
  });

  it('is in one of two sets after a split, and in both together', () => {
    const rest = without(ALL_PARTITIONS, 'k7');
    expect(rest).to.have.length(30);
    expect(union(rest, '7k')).to.equal(ALL_PARTITIONS);
  });
});
