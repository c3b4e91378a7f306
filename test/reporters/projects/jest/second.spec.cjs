for (let n = 0; n < 10; n += 1) it(`ünïcödé 🦦 ${n}`, () => expect(n).toBe(n));

describe('outer', () => {
  describe('inner', () => {
    it('inner nests', () => {});
  });
});
