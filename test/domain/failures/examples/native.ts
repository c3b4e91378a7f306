import type { Example } from './example.js';

/** Writers of C++, Godot, Swift, LLVM and shells, which begin a message with a place, a word or an exit code. */
export const native: Example[] = [
  ...gtest('the total', 12, 'Expected equality of these values:\n  total\n    Which is: 7\n  9'),
  ...gtest('the total', 15, 'Expected equality of these values:\n  total\n    Which is: 8\n  9'),
  ...gtest('the tax', 30, 'Expected equality of these values:\n  tax(7)\n    Which is: 1\n  2'),
  ...gtest('the exception', 22, 'C++ exception with description "refused" thrown in the test body.'),
  {
    framework: 'gdUnit4',
    group: 'not on the floor',
    error: {
      type: 'FAILURE',
      message: 'FAILED: res://test/PlayerTest.gd:90',
      stack: "Expecting: 'is_on_floor' but is 'in the air'",
    },
  },
  {
    framework: 'gdUnit4',
    group: 'no signal',
    error: {
      type: 'FAILURE',
      message: 'FAILED: res://test/PlayerTest.gd:99',
      stack: 'Timed out while waiting for the signal landed',
    },
  },
  ...bats('the total of the shell', '  `[ "$total" = 9 ]\' failed'),
  ...bats('the status of the shell', '  `[ "$status" -eq 0 ]\' failed'),
  {
    framework: 'bats',
    group: 'assert_equal of the shell',
    error: {
      message: "(from function `assert_equal' in file lib/assert.bash, line 40,",
      stack:
        "(from function `assert_equal' in file lib/assert.bash, line 40,\n in test file test/cart.bats, line 7)\n  `assert_equal 7 9' failed",
    },
  },
  ...boost('the total of Boost', 'ASSERTION FAILURE:', 'check total == 9 has failed [7 != 9]'),
  ...boost('the exception of Boost', 'UNCAUGHT EXCEPTION:', 'std::runtime_error: connection refused'),
  lit('the check of lit', 'a.ll:4:10: error: CHECK: expected string not found in input'),
  lit('the triple of lit', 'llc: error: unknown target triple'),
  {
    framework: 'QtTest',
    group: 'the total of Qt',
    error: {
      type: 'fail',
      message: 'Compared values are not the same',
      stack: '   Actual   (total): 7\n   Expected (9)    : 9\nLoc: [cart.cpp(12)]',
    },
  },
  {
    framework: 'QtTest',
    group: 'the tax of Qt',
    error: {
      type: 'fail',
      message: 'Compared values are not the same',
      stack: '   Actual   (tax): 7\n   Expected (9)    : 9\nLoc: [cart.cpp(19)]',
    },
  },
  {
    framework: 'doctest',
    group: 'the total of doctest',
    error: { type: 'CHECK', message: '7 == 9', stack: 'cart.cpp:12:\nCHECK( total == 9 ) is NOT correct!' },
  },
  {
    framework: 'doctest',
    group: 'the tax of doctest',
    error: { type: 'CHECK', message: '1 == 2', stack: 'cart.cpp:19:\nCHECK( tax == 2 ) is NOT correct!' },
  },
  {
    framework: 'Catch2',
    group: 'the total of Catch2',
    error: {
      type: 'REQUIRE',
      message: 'total == 9',
      stack: 'FAILED:\n  REQUIRE( total == 9 )\nwith expansion:\n  7 == 9\nat cart.cpp:12',
    },
  },
  {
    framework: 'Swift',
    group: 'the total of Swift',
    error: { message: 'Expectation failed: (total → 7) == 9' },
  },
  ...['Failed', 'Exit code 8', 'exited with code 1', 'failed', 'Exit Code: -6'].map((message) => ({
    framework: 'CTest',
    group: 'no error',
    error: { message },
  })),
];

function gtest(group: string, line: number, text: string): Example[] {
  const whole = `/src/cart_test.cc:${line}\n${text}`;
  return [{ framework: 'GoogleTest', group, error: { message: whole, stack: whole } }];
}

function bats(group: string, text: string): Example[] {
  return [5, 9].map((line) => {
    const place = `(in test file test/cart.bats, line ${line})`;
    return {
      framework: 'bats',
      group,
      error: { type: 'failure', message: place, stack: `${place}\n${text}` },
    };
  });
}

function boost(group: string, kind: string, text: string): Example[] {
  const stack = (line: number) => `${kind}\n- file   : cart_test.cpp\n- line   : ${line}\n- message: ${text}`;
  return [12, 40].map((line) => ({
    framework: 'Boost',
    group,
    error: { type: 'assertion error', message: 'failure', stack: stack(line) },
  }));
}

function lit(group: string, line: string): Example {
  const stack = `Exit Code: 1\n\nCommand Output (stderr):\n--\n${line}\n--`;
  return { framework: 'lit', group, error: { message: 'Exit Code: 1', stack } };
}
