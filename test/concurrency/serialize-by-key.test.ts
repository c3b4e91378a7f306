import { expect } from 'chai';
import { openSerializeByKey } from '../../src/concurrency/serialize-by-key.js';

describe('work that is serialized by key', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('runs one piece after the other for each key, in the order of the calls, and the keys at the same time', async () => {
    const serialize = openSerializeByKey();
    const log: string[] = [];
    const work = (key: string, n: number) =>
      serialize(key, async () => {
        log.push(`${key}${n} begins`);
        await turn();
        log.push(`${key}${n} ends`);
        return n;
      });
    const given = await Promise.all([work('a', 1), work('b', 1), work('a', 2), work('b', 2), work('a', 3)]);
    expect(given).to.deep.equal([1, 1, 2, 2, 3]);
    const of = (key: string) => log.filter((line) => line.startsWith(key));
    expect(of('a')).to.deep.equal([1, 2, 3].flatMap((n) => [`a${n} begins`, `a${n} ends`]));
    expect(of('b')).to.deep.equal([1, 2].flatMap((n) => [`b${n} begins`, `b${n} ends`]));
    expect(log.slice(0, 2).sort()).to.deep.equal(['a1 begins', 'b1 begins']);
  });

  it('goes on after work that failed, and gives the fault to its caller only', async () => {
    const serialize = openSerializeByKey();
    const failed = serialize('a', () => Promise.reject(new Error('broken')));
    const next = serialize('a', () => Promise.resolve('done'));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('done');
    expect(await serialize('a', () => Promise.resolve('again'))).to.equal('again');
  });

  it('never overlaps with a call that comes just when the last work of its key ends', async () => {
    const serialize = openSerializeByKey();
    let working = 0;
    const work = async () => {
      expect((working += 1)).to.equal(1);
      await Promise.resolve();
      working -= 1;
    };
    for (let round = 0; round < 200; round += 1) {
      const first = serialize('a', work);
      for (let n = 0; n < round % 12; n += 1) await Promise.resolve();
      await Promise.all([serialize('a', work), first.then(() => serialize('a', work))]);
    }
  });
});
