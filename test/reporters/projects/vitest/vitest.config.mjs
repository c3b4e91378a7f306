export default {
  test: {
    include: ['*.spec.mjs'],
    reporters: process.env.POSTING ? ['default', 'testledger/vitest'] : ['default'],
    includeTaskLocation: true,
  },
};
