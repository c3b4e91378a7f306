import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { jsonInTurns } from '../../../src/http/bodies/json-in-turns.js';

describe('JSON in turns', () => {
  it('is the text of JSON.stringify', async () => {
    const date = new Date(0);
    for (const body of [
      {},
      { data: [] },
      {
        data: [1, undefined, null, { a: undefined, b: [2] }, [3], 'ü"'],
        pagination: { page: 1 },
        none: undefined,
      },
      { first: 'text', none: undefined, date, data: { of: ['one', undefined] }, not: () => 1, no: null },
      { first: 'text', data: { of: ['one', date] }, date, others: [[]], 'a "name"': true },
    ]) {
      expect(await jsonInTurns(body)).to.equal(JSON.stringify(body));
    }
  });

  it('is the bytes of that text where it is long', async () => {
    const data = Array.from({ length: 40 }, (_, n) => ({ n, text: '😀ü"'.repeat(20_000) }));
    const body = { first: 'ü', data, pagination: { page: 1 }, none: undefined };
    expect(String(await jsonInTurns(body))).to.equal(JSON.stringify(body));
  });

  it('lets others have their turns while it writes a long list', async () => {
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const data = Array.from({ length: 100 }, () => 'x'.repeat(100_000));
    expect((await jsonInTurns({ data })).length).to.be.above(10_000_000);
    isOver = true;
    await others;
    expect(turns).to.be.within(8, 20);
  });
});
