describe('another file', () => {
  for (let n = 0; n < 30; n += 1) it(`is tested ${n}`, () => {});
});
