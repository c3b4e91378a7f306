/** A failure with all that its page shows: colours, a stack with frames of a library, and two values that differ. */
export const failure = {
  name: 'cart › adds a shoe',
  status: 'failed',
  duration_ms: 900,
  metadata: {
    file: 'test/cart.test.ts',
    line: 7,
    error: {
      message: '\u001b[31mexpected\u001b[0m 2 to be 3',
      stack: 'Error\n    at f (src/cart.ts:1:1)\n    at g (node_modules/mocha/a.js:1:1)',
      expected: 'a\nb\n',
      actual: 'a\nc\n',
    },
  },
};
