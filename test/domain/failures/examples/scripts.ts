import type { Example } from './example.js';

/** PHP and Ruby. */
export const scripts: Example[] = [
  {
    framework: 'PHPUnit',
    group: 'the total in PHPUnit',
    error: {
      type: 'PHPUnit\\Framework\\ExpectationFailedException',
      message: 'OrderTest::testTotal\nFailed asserting that 3 matches expected 4.',
      stack: '/app/vendor/phpunit/phpunit/src/Framework/Assert.php:120\n/app/tests/Unit/OrderTest.php:34\n',
    },
  },
  {
    framework: 'PHPUnit',
    group: 'the total in PHPUnit',
    error: {
      type: 'PHPUnit\\Framework\\ExpectationFailedException',
      message: 'Failed asserting that 30 matches expected 41.',
      stack: '/builds/team/shop/tests/Unit/OrderTest.php:36\n',
    },
  },
  {
    framework: 'PHPUnit',
    group: 'two texts in PHPUnit',
    error: {
      type: 'PHPUnit\\Framework\\ExpectationFailedException',
      message: "Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n-'a'\n+'b'",
      stack: '/app/tests/Unit/OrderTest.php:35\n',
    },
  },
  {
    framework: 'PHP',
    group: 'an exception of the repository in PHP',
    error: {
      type: 'App\\Orders\\NotFoundException',
      message: 'Order 17 was not found',
      stack:
        '#0 /app/vendor/illuminate/database/Model.php(120): App\\Orders\\Repo->find(17)\n#1 [internal function]: x()\n#2 /app/src/Orders/Repo.php(31): App\\Orders\\Repo->load()\n#3 {main}',
    },
  },
  {
    framework: 'PHP',
    group: 'an exception of the repository in PHP',
    error: {
      message: 'App\\Orders\\NotFoundException: Order 3 was not found',
      stack: '/home/circleci/project/src/Orders/Repo.php:31',
    },
  },
  {
    framework: 'RSpec',
    group: 'the total in RSpec',
    error: {
      type: 'RSpec::Expectations::ExpectationNotMetError',
      message: '\nexpected: 3\n     got: 4\n\n(compared using ==)\n',
      stack:
        "./spec/orders/total_spec.rb:8:in `block (3 levels) in <top (required)>'\n/usr/local/bundle/gems/rspec-core-3.12.2/lib/rspec/core/example.rb:263:in `instance_exec'",
    },
  },
  {
    framework: 'RSpec',
    group: 'the total in RSpec',
    error: {
      type: 'RSpec::Expectations::ExpectationNotMetError',
      message: 'expected: 30\n     got: nil\n\n(compared using ==)',
      stack:
        "# /home/runner/work/shop/shop/spec/orders/total_spec.rb:9:in 'block (3 levels) in <top (required)>'",
    },
  },
  {
    framework: 'RSpec',
    group: 'membership in RSpec',
    error: {
      type: 'RSpec::Expectations::ExpectationNotMetError',
      message: 'expected [1, 2] to include 3',
      stack: "./spec/orders/total_spec.rb:10:in `block (3 levels) in <top (required)>'",
    },
  },
  {
    framework: 'RSpec',
    group: 'a method that is missing in Ruby',
    error: {
      type: 'NoMethodError',
      message: "undefined method `total' for nil:NilClass",
      stack:
        "./app/models/order.rb:12:in `block in sum'\n./app/models/order.rb:11:in `each'\n./spec/models/order_spec.rb:8:in `block (2 levels) in <main>'",
    },
  },
  {
    framework: 'RSpec',
    group: 'a method that is missing in Ruby',
    error: {
      type: 'NoMethodError',
      message: "undefined method 'total' for nil",
      stack: "/usr/src/app/app/models/order.rb:14:in 'Order#sum'",
    },
  },
  {
    framework: 'minitest',
    group: 'the total in minitest',
    error: {
      type: 'Minitest::Assertion',
      message: 'Expected: 3\n  Actual: 4',
      stack: "test/models/order_test.rb:12:in `test_total'",
    },
  },
  {
    framework: 'minitest',
    group: 'the total in minitest',
    error: {
      type: 'Minitest::Assertion',
      message:
        'Failure:\nOrderTest#test_total [/app/test/models/order_test.rb:14]:\nExpected: 30\n  Actual: 40',
    },
  },
  {
    framework: 'minitest',
    group: 'membership in minitest',
    error: {
      type: 'Minitest::Assertion',
      message: 'Expected [1, 2] to include 3.',
      stack: "test/models/order_test.rb:13:in `test_total'",
    },
  },
];
