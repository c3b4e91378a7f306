/** Many callers at once, in one opening of the store and in two: one succeeds, and nothing is lost. */
import { expect } from 'chai';
import type { State } from '../../../src/ports/state.js';
import type { StateUnderTest } from './subject.js';

export function stateRacesContract(subject: StateUnderTest): void {
  describe('at the same time', () => {
    const either = (n: number): State => (n % 2 === 0 ? subject.state : subject.other);
    const hundred = Array.from({ length: 100 }, (_, n) => n);

    it('exactly one of 100 writes that expect the entry to be absent succeeds', async () => {
      for (const [key, pick] of [
        ['one', () => subject.state],
        ['two', either],
      ] as const) {
        const answers = await Promise.all(
          hundred.map((n) => pick(n).put('kind', key, n, { expected: 'absent' })),
        );
        const winners = hundred.filter((n) => answers[n] !== null);
        expect(winners, `openings: ${key}`).to.have.length(1);
        const [winner] = winners;
        expect(await subject.other.get('kind', key)).to.deep.equal({
          key,
          value: winner,
          version: answers[winner ?? -1],
        });
      }
    });

    it('exactly one of 100 writes that expect the same version succeeds, and exactly one of 100 removals', async () => {
      const version = (await subject.state.put('kind', 'key', 'first', { expected: 'absent' })) as number;
      const puts = await Promise.all(
        hundred.map((n) => either(n).put('kind', 'key', n, { expected: version })),
      );
      const [won] = puts.filter((answer) => answer !== null);
      expect(puts.filter((answer) => answer !== null)).to.have.length(1);
      const removed = await Promise.all(hundred.map((n) => either(n).remove('kind', 'key', won ?? 0)));
      expect(removed.filter(Boolean)).to.have.length(1);
    });

    it('100 callers that count up with versions lose no count', async () => {
      await subject.state.put('kind', 'count', 0, { expected: 'absent' });
      const up = async (state: State): Promise<void> => {
        for (;;) {
          const entry = await state.get<number>('kind', 'count');
          if (entry === null) throw new Error('the count is gone');
          const { value, version } = entry;
          if ((await state.put('kind', 'count', value + 1, { expected: version })) !== null) return;
        }
      };
      await Promise.all(hundred.map((n) => up(either(n))));
      expect((await subject.state.get('kind', 'count'))?.value).to.equal(100);
    });

    it('each of 500 writes of different entries gets a version of its own, and its entry exists', async () => {
      const keys = Array.from({ length: 500 }, (_, n) => `key ${n}`);
      const versions = await Promise.all(
        keys.map((key, n) => either(n).put('kind', key, n, { expected: 'absent' })),
      );
      const listed = await subject.other.list<number>('kind', { limit: 2_000 });
      expect(new Map(listed.map(({ key, version }) => [key, version]))).to.deep.equal(
        new Map(keys.map((key, n) => [key, versions[n]])),
      );
    });

    it('the writes of one caller are done in the order of the calls', async () => {
      const answers = await Promise.all([
        subject.state.put('kind', 'key', 1, { expected: 'absent' }),
        subject.state.remove('kind', 'key', 'any'),
        subject.state.put('kind', 'key', 2, { expected: 'absent' }),
        subject.state.put('kind', 'key', 3, { expected: 'absent' }),
      ]);
      expect(answers.map((answer) => answer !== null && answer !== false)).to.deep.equal([
        true,
        true,
        true,
        false,
      ]);
      expect((await subject.state.get('kind', 'key'))?.value).to.equal(2);
    });

    it('writes that begin turn after turn, without being awaited, are all answered and all stored', async () => {
      const puts: Promise<number | null>[] = [];
      for (const n of hundred) {
        puts.push(subject.state.put('kind', `key ${n}`, n, { expected: 'absent' }));
        await new Promise(setImmediate);
      }
      const versions = await Promise.all(puts);
      expect(versions.every((version) => version !== null)).to.equal(true);
      expect(await subject.other.list('kind', { limit: 200 })).to.have.length(100);
    });

    it('closing waits for the writes under way, and later ones are refused', async () => {
      const puts = hundred.map((n) => subject.state.put('kind', `key ${n}`, n, { expected: 'absent' }));
      await subject.state.close();
      expect((await Promise.all(puts)).every((version) => version !== null)).to.equal(true);
      const late = await subject.state.put('kind', 'late', 0, { expected: 'any' }).then(
        () => 'done',
        () => 'refused',
      );
      expect(late).to.equal('refused');
      expect(await subject.other.list('kind', { limit: 200 })).to.have.length(100);
    });
  });
}
