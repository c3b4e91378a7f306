/** Entries that expire: absent after their time by the store's clock, and deleted by a purge. */
import { expect } from 'chai';
import { instant, type StateUnderTest } from './subject.js';

export function stateExpiryContract(subject: StateUnderTest): void {
  describe('an entry that expires', () => {
    const expiresAt = instant(10);
    let version: number;
    beforeEach(async () => {
      version = (await subject.state.put('kind', 'key', 'old', { expected: 'absent', expiresAt })) as number;
    });

    it('exists until its time is past, and then for no caller', async () => {
      subject.setNow(expiresAt);
      expect((await subject.state.get('kind', 'key'))?.value).to.equal('old');
      expect(await subject.state.list('kind', { limit: 9 })).to.have.length(1);
      expect(await subject.state.put('kind', 'key', 'new', { expected: 'absent', expiresAt })).to.equal(null);

      subject.setNow(instant(11));
      for (const state of [subject.state, subject.other]) {
        expect(await state.get('kind', 'key')).to.equal(null);
        expect(await state.list('kind', { limit: 9 })).to.deep.equal([]);
        expect(await state.put('kind', 'key', 'new', { expected: version })).to.equal(null);
        expect(await state.remove('kind', 'key', version)).to.equal(false);
        expect(await state.remove('kind', 'key', 'any')).to.equal(false);
      }
    });

    for (const expected of ['absent', 'any'] as const) {
      it(`is replaced by a write that expects ${expected} after its time, at a higher version`, async () => {
        subject.setNow(instant(11));
        const next = await subject.other.put('kind', 'key', 'new', { expected });
        expect(next).to.be.greaterThan(version);
        subject.setNow(instant(999));
        expect(await subject.state.get('kind', 'key')).to.deep.equal({
          key: 'key',
          value: 'new',
          version: next,
        });
      });
    }

    it('lives on when it is put again with a later time, and for ever without a time', async () => {
      const later = await subject.state.put('kind', 'key', 'old', {
        expected: version,
        expiresAt: instant(20),
      });
      subject.setNow(instant(15));
      expect(await subject.state.get('kind', 'key')).to.not.equal(null);
      await subject.state.put('kind', 'key', 'old', { expected: later as number });
      subject.setNow(instant(100_000));
      expect(await subject.state.get('kind', 'key')).to.not.equal(null);
      expect(await subject.state.purge(instant(100_000), 10)).to.equal(0);
    });

    it('has a higher version again after a purge', async () => {
      subject.setNow(instant(11));
      expect(await subject.state.purge(instant(11), 10)).to.equal(1);
      expect(await subject.other.put('kind', 'key', 'new', { expected: 'absent' })).to.be.greaterThan(
        version,
      );
    });
  });

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
