import type { Example } from './example.js';

const github = '/home/runner/work/shop/shop';

export const javascript: Example[] = [
  {
    framework: 'Node assert',
    group: 'the total is not strictly equal',
    error: {
      type: 'AssertionError',
      message: 'Expected values to be strictly equal:\n\n3 !== 4\n',
      stack: `AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

    at checkTotal (${github}/test/orders/total.test.js:12:10)
    at TestContext.<anonymous> (${github}/test/orders/total.test.js:20:3)
    at Test.runInAsyncScope (node:async_hooks:206:9)
    at Test.run (node:internal/test_runner/test:631:25)`,
    },
  },
  {
    framework: 'Node assert',
    group: 'the total is not strictly equal',
    error: {
      message: 'Expected values to be strictly equal:\n\n30 !== 41\n',
      stack: `AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

30 !== 41

    at checkTotal (file:///builds/team/shop/test/orders/total.test.js:14:10)
    at TestContext.<anonymous> (file:///builds/team/shop/test/orders/total.test.js:22:3)`,
    },
  },
  {
    framework: 'Node assert',
    group: 'the total is not deeply equal',
    error: {
      type: 'AssertionError',
      message: 'Expected values to be strictly deep-equal:\n+ actual - expected\n\n+ [ 1 ]\n- [ 2 ]',
      stack: `AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
+ actual - expected
    at checkTotal (${github}/test/orders/total.test.js:13:10)`,
    },
  },
  {
    framework: 'Node',
    group: 'reading a property in the repository of orders',
    error: {
      type: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
      stack: `TypeError: Cannot read properties of undefined (reading 'id')
    at async OrderRepo.find (${github}/src/orders/repo.ts:41:19)
    at async Promise.all (index 0)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`,
    },
  },
  {
    framework: 'Node',
    group: 'reading a property in the repository of orders',
    error: {
      stack: `TypeError: Cannot read properties of undefined (reading 'lines')
    at Array.map (<anonymous>)
    at Object.get (D:\\a\\1\\s\\node_modules\\lodash\\get.js:3:1)
    at OrderRepo.find (D:\\a\\1\\s\\src\\orders\\repo.ts:44:19)`,
    },
  },
  {
    framework: 'Node',
    group: 'reading a property in the repository of invoices',
    error: {
      type: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
      stack: `TypeError: Cannot read properties of undefined (reading 'id')
    at InvoiceRepo.find (/app/src/invoices/repo.ts:41:19)`,
    },
  },
  {
    framework: 'Node',
    group: 'a constructor that throws',
    error: {
      type: 'RangeError',
      message: 'Invalid array length',
      stack: 'RangeError: Invalid array length\n    at new Basket (/usr/src/app/src/basket.js:7:11)',
    },
  },
  {
    framework: 'Node',
    group: 'a constructor that throws',
    error: {
      type: 'RangeError',
      message: 'Invalid array length',
      stack: 'RangeError: Invalid array length\n    at new Basket (webpack://shop/./src/basket.js?4f2a:9:11)',
    },
  },
  {
    framework: 'mocha with chai',
    group: 'the name in a test without a name',
    error: {
      type: 'AssertionError',
      message: "expected 'a' to equal 'b'",
      stack: `AssertionError: expected 'a' to equal 'b'
    at Context.<anonymous> (test/orders/name.spec.ts:8:27)
    at callFn (node_modules/mocha/lib/runnable.js:366:21)`,
    },
  },
  {
    framework: 'mocha with chai',
    group: 'the name in a test without a name',
    error: {
      type: 'AssertionError',
      message: "expected 'Anna \"x\"' to equal 'it\\'s b'",
      stack: `AssertionError: expected 'Anna' to equal 'b'
    at Context.<anonymous> (/home/anna/code/shop/test/orders/name.spec.ts:18:27)
    at process.processImmediate (node:internal/timers:476:21)`,
    },
  },
  {
    framework: 'mocha with chai',
    group: 'the length in a test without a name',
    error: {
      type: 'AssertionError',
      message: 'expected [ Array(3) ] to have a length of 4 but got 3',
      stack: 'AssertionError: x\n    at Context.<anonymous> (test/orders/name.spec.ts:9:27)',
    },
  },
  {
    framework: 'mocha with chai',
    group: 'the length in a test without a name',
    error: {
      type: 'AssertionError',
      message: "expected [ 'a', { b: [ 1 ] } ] to have a length of 1 but got 2",
      stack: 'AssertionError: x\n    at async Context.<anonymous> (test/orders/name.spec.ts:19:27)',
    },
  },
  {
    framework: 'mocha',
    group: 'a hook that cannot connect',
    file: `${github}/test/orders/repo.spec.ts`,
    error: {
      type: 'Error',
      hook: '"before each" hook for "adds a line"',
      message: 'connect ECONNREFUSED 127.0.0.1:54321',
      stack:
        'Error: connect ECONNREFUSED 127.0.0.1:54321\n    at TCPConnectWrap.afterConnect (node:net:1555:16)',
    },
  },
  {
    framework: 'mocha',
    group: 'a hook that cannot connect',
    file: 'C:\\Users\\Anna\\shop\\test\\orders\\repo.spec.ts',
    error: {
      type: 'Error',
      hook: '"before each" hook for "removes a line"',
      message: 'connect ECONNREFUSED 10.0.0.7:5432',
    },
  },
  {
    framework: 'mocha',
    group: 'a hook that takes too long',
    file: 'test/orders/repo.spec.ts',
    error: {
      type: 'Error',
      hook: '"before each" hook for "adds a line"',
      message: 'Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called.',
    },
  },
  {
    framework: 'mocha',
    group: 'another hook of that file',
    file: 'test/orders/repo.spec.ts',
    error: {
      type: 'Error',
      hook: '"after all" hook in "orders"',
      message: 'connect ECONNREFUSED 127.0.0.1:54321',
    },
  },
  {
    framework: 'mocha',
    group: 'the same hook of another file',
    file: 'test/invoices/repo.spec.ts',
    error: {
      type: 'Error',
      hook: '"before each" hook for "adds a line"',
      message: 'connect ECONNREFUSED 127.0.0.1:54321',
    },
  },
  {
    framework: 'Jest',
    group: 'toBe in a test of Jest',
    error: {
      message:
        '\u001b[2mexpect(\u001b[22m\u001b[31mreceived\u001b[39m\u001b[2m).\u001b[22mtoBe\u001b[2m(\u001b[22m\u001b[32mexpected\u001b[39m\u001b[2m) // Object.is equality\u001b[22m\n\nExpected: \u001b[32m4\u001b[39m\nReceived: \u001b[31m3\u001b[39m',
      stack: `Error: expect(received).toBe(expected) // Object.is equality

Expected: 4
Received: 3
    at Object.<anonymous> (/root/project/src/cart/cart.test.ts:12:20)
    at Promise.then.completed (/root/project/node_modules/jest-circus/build/utils.js:298:28)`,
    },
  },
  {
    framework: 'Jest',
    group: 'toBe in a test of Jest',
    error: {
      type: 'JestAssertionError',
      message: 'expect(received).toBe(expected) // Object.is equality\n\nExpected: "x"\nReceived: "y"',
      stack: `Error: expect(received).toBe(expected) // Object.is equality
    at Object.toBe (/var/lib/jenkins/workspace/shop_main@2/src/cart/cart.test.ts:34:20)
    at new Promise (<anonymous>)`,
    },
  },
  {
    framework: 'Jest',
    group: 'toEqual in a test of Jest',
    error: {
      message: 'expect(received).toEqual(expected) // deep equality\n\n- Expected  - 1\n+ Received  + 1',
      stack:
        'Error: expect(received).toEqual(expected) // deep equality\n    at Object.<anonymous> (/root/project/src/cart/cart.test.ts:13:20)',
    },
  },
  {
    framework: 'Jest',
    group: 'not.toBe in a test of Jest',
    error: {
      message: 'expect(received).not.toBe(expected) // Object.is equality\n\nExpected: not 4',
      stack:
        'Error: expect(received).not.toBe(expected)\n    at Object.<anonymous> (/root/project/src/cart/cart.test.ts:14:20)',
    },
  },
  {
    framework: 'Vitest',
    group: 'the price in Vitest',
    error: {
      type: 'AssertionError',
      message: 'expected 3 to be 4 // Object.is equality',
      stack: `AssertionError: expected 3 to be 4 // Object.is equality
    at expectPrice (/builds/team/shop/packages/shop/test/price.test.ts:5:22)
    at file:///builds/team/shop/node_modules/@vitest/runner/dist/index.js:135:14`,
    },
  },
  {
    framework: 'Vitest',
    group: 'the price in Vitest',
    error: {
      message: 'AssertionError: expected 12.5 to be 13 // Object.is equality',
      stack: ' ❯ expectPrice packages/shop/test/price.test.ts:6:22\n ❯ packages/shop/test/price.test.ts:19:3',
    },
  },
  {
    framework: 'Vitest',
    group: 'a module that cannot be found',
    error: {
      type: 'Error',
      message: "Cannot find module '/tmp/build-8812/dist/prices.js' imported from '/app/src/a.ts'",
      stack:
        'Error: Cannot find module\n    at finalizeResolution (node:internal/modules/esm/resolve:283:11)',
    },
  },
  {
    framework: 'Vitest',
    group: 'a module that cannot be found',
    error: {
      type: 'Error',
      message: "Cannot find module 'C:\\Temp\\build-17\\dist\\prices.js' imported from 'D:\\shop\\src\\a.ts'",
    },
  },
  {
    framework: 'Node',
    group: 'evaluated code and then own code',
    error: {
      type: 'SyntaxError',
      message: 'Unexpected token',
      stack:
        'SyntaxError: Unexpected token\n    at eval (eval at load (/app/src/rules.js:3:1), <anonymous>:1:1)\n    at Rules.load [as read] (/app/src/rules.js:3:1)',
    },
  },
];
