let tries = 0;

describe('sums', () => {
  it('adds', () => {
    expect(1 + 1).to.equal(2);
  });
  it('is flaky', () => {
    cy.screenshot('cart').then(() => {
      tries += 1;
      expect(tries, 'tries').to.equal(2);
    });
  });
  it('fails', () => {
    cy.wrap({ sum: 1 }).should('deep.equal', { sum: 2 });
  });
  it('has colours', { retries: 0 }, () => {
    throw new Error('\u001b[31mred\u001b[39m 🦦 日本語');
  });
  it.skip('is left out', () => {});
  it('is to be written');
  it('skips itself', function skips() {
    this.skip();
  });
  it('comes twice', () => {});
  it('comes twice', () => {});
});

describe('a hook', () => {
  before(() => {
    throw new TypeError('closed');
  });
  it('never runs', () => {});
  it('nor does this', () => {});
});

describe('a hook of each', () => {
  beforeEach(() => {
    throw new Error('no table');
  });
  it('never runs', () => {});
  it('nor does this', () => {});
});

it('stands alone', () => {});
