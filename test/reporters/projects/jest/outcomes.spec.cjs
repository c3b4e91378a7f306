jest.retryTimes(1);

let tries = 0;

describe('sums', () => {
  it('adds up', () => expect(1 + 1).toBe(2));
  it('fails', () => expect({ total: 1 }).toEqual({ total: 2 }));
  it('is flaky', () => {
    tries += 1;
    expect(tries).toBe(2);
  });
  it.skip('is skipped', () => {});
  it.todo('is to be written');
  it.failing('fails as expected', () => {
    throw new Error('known');
  });
  it('has colours', () => {
    throw new Error('\u001b[31mred\u001b[39m 🦦 日本語');
  });
});

describe('a hook', () => {
  beforeEach(() => {
    throw new Error('closed');
  });
  it('never runs', () => {});
});
