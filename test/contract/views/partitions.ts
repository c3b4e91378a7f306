/** Checkpoints of partitions: each partition moves by itself, and is fenced by itself. */
import { expect } from 'chai';
import fc from 'fast-check';
import { START, type Position } from '../../../src/domain/event.js';
import { ALL_PARTITIONS, without } from '../../../src/domain/partition.js';
import type { FoldedEvent } from '../../../src/ports/views.js';
import type { ViewsUnderTest } from './subject.js';
import { added, at, commitTo, refused, thingsSpec } from './things.js';

const spec = thingsSpec();
const others = without(ALL_PARTITIONS, 'k');

export function partitionsContract(views: ViewsUnderTest): void {
  describe('the partitions of a build', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    it('know the furthest event that any of them has folded', async () => {
      const known = async () => {
        const [build] = await views.writer.builds('things');
        expect(await views.reader.lastEvent('things')).to.deep.equal(build!.lastEvent);
        return build!.lastEvent;
      };
      const commit = { build: 1, epoch: 1, from: START, to: at(9), changes: [] };
      const [early, late, last] = [3, 8, 10].map((n) => ({ position: at(n), id: `event-${n}` })) as [
        FoldedEvent,
        FoldedEvent,
        FoldedEvent,
      ];
      expect(await known()).to.equal(null);
      await views.writer.commit(spec, { ...commit, partitions: 'k', lastEvent: late });
      expect(await known()).to.deep.equal(late);
      await views.writer.commit(spec, { ...commit, partitions: others, lastEvent: early });
      expect(await known()).to.deep.equal(late);
      await views.writer.commit(spec, { ...commit, from: at(9), to: at(10), lastEvent: last });
      await commitTo(views.writer, spec, [added('1')]);
      expect(await known()).to.deep.equal(last);
      const fenced = { ...commit, lastEvent: { position: at(20), id: 'event-20' } };
      await refused(views.writer.commit(spec, fenced), 'fenced');
      await views.reopen();
      expect(await known()).to.deep.equal(last);
    });

    it('fence a commit that would move one of them from another position, or below its epoch', async () => {
      const move = { build: 1, epoch: 2, partitions: 'k', from: START, to: at(3), changes: [] };
      await views.writer.commit(spec, move);
      const all = { build: 1, epoch: 2, from: START, to: at(5), changes: [added('1')] };
      await refused(views.writer.commit(spec, all), 'fenced');
      await refused(views.writer.commit(spec, { ...all, partitions: '0k' }), 'fenced');
      const old = { ...all, epoch: 1, partitions: 'k', from: at(3) };
      await refused(views.writer.commit(spec, old), 'fenced');
      expect(await views.reader.get(spec, 'things', ['1'])).to.deep.equal([null]);
      await views.writer.commit(spec, { ...all, partitions: '0' });
      expect(await views.reader.position('things', { partition: '0' })).to.equal(at(5));
    });

    it('end the waits for their own positions', async () => {
      const wait = { partition: 'k', atLeast: at(3), timeoutMs: 10_000 };
      const waiting = views.reader.position('things', wait);
      const move = { build: 1, epoch: 1, from: START, to: at(3), changes: [] };
      await views.writer.commit(spec, { ...move, partitions: '0' });
      expect(await views.reader.position('things', { ...wait, timeoutMs: 20 })).to.equal(START);
      await views.writer.commit(spec, { ...move, partitions: 'k' });
      expect(await waiting).to.equal(at(3));
    });

    it('must not be behind those of the live build at a promotion, unless they may be', async () => {
      await commitTo(views.writer, spec, [], { to: at(5) });
      const next = thingsSpec('things', 2);
      await views.writer.prepare(next, 2);
      const move = { build: 2, epoch: 1, partitions: others, from: START, to: at(6), changes: [] };
      await views.writer.commit(next, move);
      await refused(views.writer.promote(next, 2, 1), 'internal');
      await refused(views.writer.promote(next, 2, 1, { mayBeBehind: 'z' }), 'internal');
      await views.writer.promote(next, 2, 1, { mayBeBehind: 'k' });
      expect(await views.reader.position('things', { partition: 'k' })).to.equal(START);
      expect(await views.reader.position('things', { partition: 'z' })).to.equal(at(6));
    });

    it('are at the positions of a map after any moves', async () => {
      const moves = fc.array(
        fc.record({
          partitions: fc.constantFrom('0', '1', '01', 'z', others, ALL_PARTITIONS),
          by: fc.nat(2),
        }),
        {
          maxLength: 12,
        },
      );
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(moves, async (all) => {
          const own = thingsSpec(`moved_${(runs += 1)}`);
          await views.writer.prepare(own, 1);
          const model = new Map<string, Position>(ALL_PARTITIONS.split('').map((each) => [each, START]));
          for (const { partitions, by } of all) {
            const froms = new Set(partitions.split('').map((each) => model.get(each)!));
            const [from] = froms;
            const to = at(Number(from) + by);
            const commit = { build: 1, epoch: 1, partitions, from: from!, to, changes: [] };
            if (froms.size > 1) await refused(views.writer.commit(own, commit), 'fenced');
            else await views.writer.commit(own, commit);
            if (froms.size === 1) for (const each of partitions) model.set(each, to);
          }
          for (const [partition, position] of model)
            expect(await views.reader.position(own.name, { partition })).to.equal(position);
          const checkpoints = await views.reader.checkpoints(own.name);
          expect(checkpoints.flatMap(({ partitions }) => partitions.split(''))).to.have.members(
            ALL_PARTITIONS.split(''),
          );
        }),
        { numRuns: 30 },
      );
    });
  });

  describe('a document that is added once', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    it('stays as it is when another one is added under its id', async () => {
      const first = { ...added('1', { n: 1 }, 'others'), once: true } as const;
      await commitTo(views.writer, spec, [first]);
      await commitTo(views.writer, spec, [
        { ...added('1', { n: 2 }, 'others'), once: true },
        added('2', {}, 'others'),
      ]);
      expect(await views.reader.get(spec, 'others', ['1'])).to.deep.equal([first.after]);
      expect((await views.reader.get(spec, 'others', ['2']))[0]).not.to.equal(null);
    });

    it('is refused in a collection with totals', async () => {
      await refused(commitTo(views.writer, spec, [{ ...added('1'), once: true }]), 'internal');
    });
  });
}
