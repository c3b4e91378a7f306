import type { Example } from './example.js';

/** Failures outside of tests' own code: bundles, causes, messages alone, nothing at all. */
export const plain: Example[] = [
  {
    framework: 'Node',
    group: 'a service that is slow',
    error: {
      message:
        'Error: GET http://localhost:51324/orders/3f2a9c1e-77aa-4a52-9b2e-1f0c2d3e4f5a took 1.2s at 2026-01-03T10:11:12.123Z (0x7ffe12ab)',
    },
  },
  {
    framework: 'Node',
    group: 'a service that is slow',
    error: {
      message: 'GET https://shop.test:8443/orders/17?page=2 took 950ms at 2026-11-23 09:00:01 (0x1f)',
    },
  },
  {
    framework: 'Firefox',
    group: 'a bundle in the browser',
    error: {
      type: 'TypeError',
      message: 'e is undefined',
      stack:
        'Xt@http://localhost:41233/assets/index-3f9a2b1c.js:1:23456\n@http://localhost:41233/assets/vendor-99aa88bb.js:1:99',
    },
  },
  {
    framework: 'Chrome',
    group: 'a bundle in the browser',
    error: {
      type: 'TypeError',
      message: "Cannot read properties of undefined (reading 'a')",
      stack:
        "TypeError: Cannot read properties of undefined (reading 'a')\n    at qe (https://shop.test/assets/index-0c1d2e3f.js:1:11456)",
    },
  },
  {
    framework: 'Node',
    group: 'an error with a cause',
    error: {
      type: 'Error',
      message: 'the order was not saved',
      stack: `Error: the order was not saved
    at save (/app/src/orders/save.ts:8:9)
    at run (/app/test/orders/save.test.ts:4:3) {
  [cause]: DatabaseError: relation "orders" does not exist
      at Parser.parse (/app/node_modules/pg-protocol/src/parser.ts:1:1)
      at insert (/app/src/db/insert.ts:5:5)
}`,
    },
  },
  {
    framework: 'Node',
    group: 'an error with a cause',
    error: {
      type: 'Error',
      message: 'the invoice was not saved',
      stack: `Error: the invoice was not saved
    at save (/app/src/invoices/save.ts:8:9) {
  [cause]: DatabaseError: relation "invoices" does not exist
      at insert (/app/src/db/insert.ts:9:5)
}`,
    },
  },
  { framework: 'none', group: 'no error', error: null },
  { framework: 'none', group: 'no error', error: { message: '' } },
  { framework: 'none', group: 'no error', error: { message: '  \n', stack: '' } },
  { framework: 'none', group: 'no error', error: { message: 'Failed' } },
  {
    framework: 'GoogleTest',
    group: 'the total in GoogleTest',
    error: {
      message:
        '/app/test/orders_test.cc:12: Failure\nExpected equality of these values:\n  total\n    Which is: 3\n  4',
    },
  },
  {
    framework: 'GoogleTest',
    group: 'the total in GoogleTest',
    error: {
      message:
        'D:\\a\\1\\s\\test\\orders_test.cc:14: Failure\nExpected equality of these values:\n  total\n    Which is: 5\n  6',
    },
  },
  {
    framework: 'GoogleTest',
    group: 'a flag in GoogleTest',
    error: {
      message: '/app/test/orders_test.cc:15: Failure\nValue of: open\n  Actual: false\nExpected: true',
    },
  },
  {
    framework: 'Chrome',
    group: 'an uncaught error',
    error: { message: 'Uncaught [TypeError: total is not a function]' },
  },
  {
    framework: 'Chrome',
    group: 'an uncaught error',
    error: { type: 'TypeError', message: 'total is not a function' },
  },
  {
    framework: 'xUnit',
    group: 'an inner stack',
    error: {
      type: 'System.AggregateException',
      message: 'One or more errors occurred. (Connection refused)',
      stack:
        '   at Shop.Outer.Run() in /app/src/Outer.cs:line 3\n----- Inner Stack Trace -----\n   at System.Net.Sockets.Socket.Connect()\n   at Shop.Inner.Open() in /app/src/Inner.cs:line 3',
    },
  },
  {
    framework: 'Testing Library',
    group: 'an element that Testing Library does not find',
    error: {
      type: 'TestingLibraryElementError',
      message: 'Unable to find an accessible element with the role "button" and name "Save"',
      stack:
        'TestingLibraryElementError: Unable\n    at Object.getElementError (/app/node_modules/@testing-library/dom/dist/config.js:37:19)\n    at saveButton (/app/src/Button.test.tsx:5:4)',
    },
  },
  {
    framework: 'Testing Library',
    group: 'another query of Testing Library',
    error: {
      type: 'TestingLibraryElementError',
      message: 'Found multiple elements with the text: Save',
      stack: 'TestingLibraryElementError: Found\n    at saveButton (/app/src/Button.test.tsx:6:4)',
    },
  },
];
