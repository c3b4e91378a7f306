import type { Example } from './example.js';

export const compiled: Example[] = [
  {
    framework: 'Go',
    group: 'the total in Go',
    error: { message: 'Failed', stack: '    total_test.go:12: Total() = 3, want 4' },
  },
  {
    framework: 'Go',
    group: 'the total in Go',
    error: { message: 'Failed', stack: '    total_test.go:22: Total() = 30, want 41' },
  },
  {
    framework: 'Go',
    group: 'an error in Go',
    error: {
      message: 'Failed',
      stack: '    total_test.go:15: Total(): unexpected error: sql: no rows in result set',
    },
  },
  {
    framework: 'Go testify',
    group: 'Equal of testify',
    error: {
      message: 'Failed',
      stack: `    orders_test.go:21: 
        	Error Trace:	/home/runner/work/shop/shop/orders/orders_test.go:21
        	Error:      	Not equal: 
        	            	expected: 3
        	            	actual  : 4
        	Test:       	TestOrders`,
    },
  },
  {
    framework: 'Go testify',
    group: 'Equal of testify',
    error: {
      message: 'Failed',
      stack: `    orders_test.go:24: 
        	Error Trace:	/builds/team/shop/orders/orders_test.go:24
        	Error:      	Not equal: 
        	            	expected: "x"
        	            	actual  : "y"
        	Test:       	TestOrders/second`,
    },
  },
  {
    framework: 'Go testify',
    group: 'True of testify',
    error: {
      message: 'Failed',
      stack: `    orders_test.go:22: 
        	Error Trace:	/home/runner/work/shop/shop/orders/orders_test.go:22
        	Error:      	Should be true
        	Test:       	TestOrders`,
    },
  },
  {
    framework: 'Go testify',
    group: 'Equal of testify in another test',
    error: {
      message: 'Failed',
      stack: `    orders_test.go:41: 
        	Error Trace:	/home/runner/work/shop/shop/orders/orders_test.go:41
        	Error:      	Not equal: 
        	Test:       	TestInvoices`,
    },
  },
  ...['/home/runner/work/shop/shop', 'D:/a/shop/shop'].map((root, nth): Example => ({
    framework: 'Go',
    group: 'a panic in Go',
    error: {
      message: nth === 0 ? 'Failed' : `panic: runtime error: index out of range [${nth}] with length 3`,
      stack: `--- FAIL: TestTotal (0.0${nth}s)
panic: runtime error: index out of range [5] with length 3 [recovered]
	panic: runtime error: index out of range [5] with length 3

goroutine ${nth + 7} [running]:
testing.tRunner.func1.2({0x5117a0, 0xc0000141c8})
	/usr/local/go/src/testing/testing.go:1396 +0x24e
panic({0x5117a0, 0xc0000141c8})
	/opt/hostedtoolcache/go/1.22.1/x64/src/runtime/panic.go:884 +0x212
example.com/shop/orders.(*Basket).Total.func1(...)
	${root}/orders/total.go:1${nth} +0x1d
example.com/shop/orders.TestTotal(0xc0000d2680)
	${root}/orders/total_test.go:9 +0x25
created by testing.(*T).Run in goroutine 1
	/usr/local/go/src/testing/testing.go:1648 +0x3ad`,
    },
  })),
  {
    framework: 'Rust',
    group: 'the total in Rust',
    error: {
      message:
        "thread 'orders::tests::adds_lines' panicked at src/orders.rs:42:9:\nassertion `left == right` failed\n  left: 3\n right: 4",
      stack: `thread 'orders::tests::adds_lines' panicked at src/orders.rs:42:9:
assertion \`left == right\` failed
  left: 3
 right: 4
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    },
  },
  {
    framework: 'Rust with a backtrace',
    group: 'the total in Rust',
    error: {
      type: 'test failure with exit code 101',
      message: "thread 'orders::tests::adds_lines' (8812) panicked at src/orders.rs:44:9",
      stack: `thread 'orders::tests::adds_lines' (8812) panicked at src/orders.rs:44:9:
assertion \`left == right\` failed
  left: 30
 right: 40
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:76:14
   2: core::panicking::assert_failed
   3: shop::orders::tests::adds_lines
             at ./src/orders.rs:44:9
   4: shop::orders::tests::adds_lines::{{closure}}
             at ./src/orders.rs:40:20
   5: core::ops::function::FnOnce::call_once
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/ops/function.rs:250:5`,
    },
  },
  {
    framework: 'Rust',
    group: 'another assertion in the same test of Rust',
    error: {
      message:
        "thread 'orders::tests::adds_lines' panicked at src/orders.rs:43:9:\nassertion `left != right` failed\n  left: 3\n right: 3",
    },
  },
  {
    framework: 'Rust before 1.73',
    group: 'an unwrap in Rust',
    error: {
      message:
        "thread 'orders::tests::parses' panicked at 'called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }', src/orders.rs:50:30",
    },
  },
  {
    framework: 'Rust',
    group: 'an unwrap in Rust',
    error: {
      message:
        "thread 'orders::tests::parses' panicked at src\\orders.rs:51:30:\ncalled `Result::unwrap()` on an `Err` value: ParseIntError { kind: Empty }",
    },
  },
  {
    framework: 'xUnit',
    group: 'the total in xUnit',
    error: {
      message: 'Assert.Equal() Failure: Values differ\nExpected: 3\nActual:   4',
      stack: `   at Shop.Tests.OrderTests.Total() in /home/runner/work/shop/shop/tests/Shop.Tests/OrderTests.cs:line 14
   at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments, Signature sig, Boolean isConstructor)`,
    },
  },
  {
    framework: 'xUnit',
    group: 'the total in xUnit',
    error: {
      message: 'Assert.Equal() Failure: Values differ\nExpected: 30\nActual:   41',
      stack: `   at Xunit.Assert.Equal[T](T expected, T actual) in /_/src/xunit.assert/Asserts/EqualityAsserts.cs:line 158
   at Shop.Tests.OrderTests.Total() in D:\\a\\1\\s\\tests\\Shop.Tests\\OrderTests.cs:line 15`,
    },
  },
  {
    framework: 'xUnit',
    group: 'a null in the same test of xUnit',
    error: {
      message: 'Assert.NotNull() Failure: Value is null',
      stack: '   at Shop.Tests.OrderTests.Total() in D:\\a\\1\\s\\tests\\Shop.Tests\\OrderTests.cs:line 16',
    },
  },
  {
    framework: 'xUnit',
    group: 'an asynchronous method in .NET',
    error: {
      message: 'System.InvalidOperationException : The order is closed',
      stack: `   at Shop.Orders.OrderService.<CloseAsync>d__4.MoveNext() in /app/src/Shop/OrderService.cs:line 40
--- End of stack trace from previous location ---
   at Shop.Tests.OrderTests.Closes() in /app/tests/Shop.Tests/OrderTests.cs:line 19`,
    },
  },
  {
    framework: 'xUnit',
    group: 'an asynchronous method in .NET',
    error: {
      type: 'System.InvalidOperationException',
      message: 'The order 12 is closed',
      stack:
        '   at Shop.Orders.OrderService.CloseAsync(Int32 id) in C:\\build\\src\\Shop\\OrderService.cs:line 44',
    },
  },
  {
    framework: 'NUnit',
    group: 'the total in NUnit',
    error: {
      message: '  Expected: 3\n  But was:  4\n',
      stack: '   at Shop.Tests.BasketTests.Total() in /app/tests/Shop.Tests/BasketTests.cs:line 11',
    },
  },
  {
    framework: 'NUnit',
    group: 'the total in NUnit',
    error: {
      message: '  Expected: 5\n  But was:  null\n',
      stack:
        '   at Shop.Tests.BasketTests.Total() in c:\\shop\\tests\\Shop.Tests\\BasketTests.cs:line 13\r\n',
    },
  },
  {
    framework: 'MSTest',
    group: 'the total in MSTest',
    error: {
      message: 'Assert.AreEqual failed. Expected:<3>. Actual:<4>. ',
      stack: '   at Shop.Tests.PriceTests.Total() in /app/tests/Shop.Tests/PriceTests.cs:line 11',
    },
  },
  {
    framework: 'MSTest',
    group: 'the total in MSTest',
    error: {
      type: 'Microsoft.VisualStudio.TestTools.UnitTesting.AssertFailedException',
      message: 'Assert.AreEqual failed. Expected:<x y>. Actual:<4>. ',
      stack: '   at Shop.Tests.PriceTests.Total() in /src/tests/Shop.Tests/PriceTests.cs:line 12',
    },
  },
  {
    framework: '.NET',
    group: 'an inner exception in .NET',
    error: {
      message: 'System.AggregateException: One or more errors occurred.',
      stack: `System.AggregateException: One or more errors occurred.
 ---> System.Net.Http.HttpRequestException: Connection refused (localhost:5001)
   at System.Net.Http.HttpConnectionPool.ConnectAsync(HttpRequestMessage request)
   at Shop.Client.GetAsync[T](String path) in /app/src/Shop/Client.cs:line 12
   --- End of inner exception stack trace ---
   at Shop.Tests.ClientTests.Gets() in /app/tests/ClientTests.cs:line 9`,
    },
  },
  {
    framework: '.NET without symbols',
    group: 'a method without a file in .NET',
    error: {
      type: 'System.NullReferenceException',
      message: 'Object reference not set to an instance of an object.',
      stack:
        '   at System.Linq.Enumerable.First[T](IEnumerable`1 source)\n   at Shop.Orders.Totals.<>c.<Sum>b__0_0(Order o)',
    },
  },
];
