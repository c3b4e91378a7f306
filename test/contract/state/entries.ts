/** Entries: written when they are as expected, given back as they were, listed in order. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { StateUnderTest } from './subject.js';
import { refused } from '../views/things.js';

export function stateEntriesContract(subject: StateUnderTest): void {
  describe('an entry', () => {
    it('exists for every opening of the store once the write is answered, and after closing and opening again', async () => {
      const version = await subject.state.put('kind', 'key', { a: [1, null] }, { expected: 'absent' });
      expect(version).to.be.a('number');
      const entry = { key: 'key', value: { a: [1, null] }, version };
      expect(await subject.state.get('kind', 'key')).to.deep.equal(entry);
      expect(await subject.other.get('kind', 'key')).to.deep.equal(entry);
      await subject.reopen();
      expect(await subject.state.get('kind', 'key')).to.deep.equal(entry);
    });

    it('belongs to its kind and its key alone', async () => {
      await subject.state.put('one', 'key', 1, { expected: 'absent' });
      expect(await subject.state.put('two', 'key', 2, { expected: 'absent' })).to.be.a('number');
      expect(await subject.state.put('one', 'KEY', 3, { expected: 'absent' })).to.be.a('number');
      expect(await subject.state.remove('two', 'key', 'any')).to.equal(true);
      expect((await subject.state.get('one', 'key'))?.value).to.equal(1);
      expect((await subject.state.get('one', 'KEY'))?.value).to.equal(3);
    });

    it('never gets an earlier version again, whether it was removed or not', async () => {
      let last = 0;
      for (let round = 0; round < 5; round += 1) {
        for (const expected of ['absent', 'any'] as const) {
          const version = (await subject.state.put('kind', 'key', round, { expected })) as number;
          expect(version).to.be.greaterThan(last);
          last = version;
        }
        await subject.other.remove('kind', 'key', last);
        if (round === 2) await subject.reopen();
      }
    });

    it('holds any JSON', async () => {
      const odd: unknown = JSON.parse(
        '{"__proto__":{"x":1},"$set":{"a.b":null},"\\u0000":"\\u0000\\ud83d","n":[1e300,-0.5,true]}',
      );
      await subject.state.put('kind', 'odd', odd, { expected: 'any' });
      expect(JSON.stringify((await subject.state.get('kind', 'odd'))?.value)).to.equal(JSON.stringify(odd));
      await fc.assert(
        fc.asyncProperty(fc.jsonValue(), async (value) => {
          await subject.state.put('kind', 'key', value, { expected: 'any' });
          const expected = { value: JSON.parse(JSON.stringify(value)) as unknown };
          expect(await subject.other.get('kind', 'key')).to.deep.include(expected);
        }),
      );
      for (const value of [null, false, 0, '']) {
        await subject.state.put('kind', 'key', value, { expected: 'any' });
        expect((await subject.state.get('kind', 'key'))?.value).to.equal(value);
      }
    });

    it('keeps the value as it was at the moment of the write', async () => {
      const value = { n: 1 };
      const put = subject.state.put('kind', 'key', value, { expected: 'any' });
      value.n = 2;
      await put;
      expect((await subject.state.get('kind', 'key'))?.value).to.deep.equal({ n: 1 });
    });

    it('with a key that the store could not give back is refused, and does not exist', async () => {
      await subject.state.put('kind', 'a', 1, { expected: 'any' });
      for (const key of ['', 'a\0', 'a\0b', 'a\ud800']) {
        await refused(subject.state.put('kind', key, 1, { expected: 'any' }), 'internal');
        expect(await subject.state.get('kind', key)).to.equal(null);
        expect(await subject.state.remove('kind', key, 'any')).to.equal(false);
      }
      await refused(subject.state.put('kind', 'b', undefined, { expected: 'any' }), 'internal');
      expect((await subject.state.get('kind', 'a'))?.value).to.equal(1);
    });
  });

  describe('a list', () => {
    it('gives the entries of a kind in the order of their keys by code point, page by page', async () => {
      const keys = ['b', 'a', 'aa', 'B', '\ufffd', '😀', 'é', '~', 'a/b', '%', "'"];
      for (const key of keys) await subject.state.put('kind', key, key, { expected: 'absent' });
      await subject.state.put('kin', 'z', 0, { expected: 'absent' });
      await subject.state.put('kind2', 'a', 0, { expected: 'absent' });
      const inOrder = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      const listed = await subject.other.list<string>('kind', { limit: 100 });
      expect(listed.map(({ key }) => key)).to.deep.equal(inOrder);
      expect(listed.every(({ key, value, version }) => key === value && version > 0)).to.equal(true);

      const walked: string[] = [];
      for (let page = await subject.state.list('kind', { limit: 4 }); page.length > 0;) {
        walked.push(...page.map(({ key }) => key));
        page = await subject.state.list('kind', { after: walked.at(-1) ?? '', limit: 4 });
      }
      expect(walked).to.deep.equal(inOrder);
    });

    it('goes on after a key that does not exist, and is empty at the end', async () => {
      for (const key of ['a', 'c']) await subject.state.put('kind', key, key, { expected: 'absent' });
      const after = async (key: string) =>
        (await subject.state.list('kind', { after: key, limit: 9 })).map(({ value }) => value);
      expect(await after('b')).to.deep.equal(['c']);
      expect(await after('c')).to.deep.equal([]);
      expect(await subject.state.list('none', { limit: 9 })).to.deep.equal([]);
    });
  });
}
