import assert from 'node:assert';

let tries = 0;

describe('sums', () => {
  it('adds up', () => assert.equal(1 + 1, 2));
  it('fails', () => assert.deepEqual({ total: 1 }, { total: 2 }));
  it.skip('is skipped', () => {});
  it('is to be written');
  it('skips itself', function () {
    this.skip();
  });
  it('is flaky', function () {
    this.retries(3);
    tries += 1;
    assert.equal(tries, 3);
  });
  it('fails every time', function () {
    this.retries(1);
    throw new Error('\u001b[31mred\u001b[39m \u0000 \ud800 🦦 日本語');
  });
  it('throws no error', () => {
    // eslint-disable-next-line no-throw-literal
    throw 'a text';
  });
  it('has a long stack', () => {
    const error = new Error('deep');
    error.stack = `Error: deep\n${'    at somewhere (file.js:1:1)\n'.repeat(5_000)}`;
    throw error;
  });
});

describe('a hook', () => {
  beforeEach('opens the shop', () => {
    throw new Error('closed');
  });
  it('never runs', () => {});
});

describe('ünïcödé 🦦 \u001b[1mbold\u001b[22m', () => {
  it('日本語 ' + 'x'.repeat(300), () => {});
});
