/** Entries that expire: absent after their time by the store's clock, and deleted by a purge. */
import { expect } from 'chai';
import { instant, type StateUnderTest } from './subject.js';

export function stateExpiryContract(subject: StateUnderTest): void {
  it('a list skips expired entries and still fills its page', async () => {
    for (let n = 0; n < 10; n += 1) {
      const expires = n % 2 === 0 ? { expiresAt: instant(1) } : {};
      await subject.state.put('kind', `key ${n}`, n, { expected: 'absent', ...expires });
    }
    subject.setNow(instant(2));
    expect((await subject.state.list('kind', { limit: 4 })).map(({ value }) => value)).to.deep.equal([
      1, 3, 5, 7,
    ]);
  });

  it('a purge deletes entries of any kind that expired before the instant, up to its limit, and counts them', async () => {
    for (let n = 0; n < 10; n += 1) {
      await subject.state.put(`kind ${n % 2}`, `key ${n}`, n, { expected: 'absent', expiresAt: instant(n) });
    }
    await subject.state.put('kind', 'for ever', 0, { expected: 'absent' });
    expect(await subject.state.purge(instant(7), 3)).to.equal(3);
    expect(await subject.other.purge(instant(7), 3)).to.equal(3);
    expect(await subject.state.purge(instant(7), 3)).to.equal(1);
    expect(await subject.state.purge(instant(7), 3)).to.equal(0);
    const left = [
      ...(await subject.state.list<number>('kind 0', { limit: 9 })),
      ...(await subject.state.list<number>('kind 1', { limit: 9 })),
    ];
    expect(left.map(({ value }) => value)).to.have.members([7, 8, 9]);
    expect(await subject.state.get('kind', 'for ever')).to.not.equal(null);
  });
}
