import type { Example } from './example.js';

const reflection = `	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
	at org.junit.platform.commons.util.ReflectionUtils.invokeMethod(ReflectionUtils.java:728)`;

export const jvm: Example[] = [
  {
    framework: 'JUnit 5',
    group: 'the total in JUnit',
    error: {
      type: 'org.opentest4j.AssertionFailedError',
      message: 'expected: <3> but was: <4>',
      stack: `org.opentest4j.AssertionFailedError: expected: <3> but was: <4>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at app//org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:527)
	at app//com.shop.orders.OrderServiceTest.addsLines(OrderServiceTest.java:31)
${reflection}`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'the total in JUnit',
    error: {
      message: 'org.opentest4j.AssertionFailedError: expected: <abc> but was: <List<String> [x]>',
      stack: `org.opentest4j.AssertionFailedError: expected: <abc> but was: <abd>
	at com.shop.orders.OrderServiceTest.addsLines(OrderServiceTest.java:33) ~[test-classes/:na]`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'a null in the same test of JUnit',
    error: {
      type: 'org.opentest4j.AssertionFailedError',
      message: 'expected: not <null>',
      stack: `org.opentest4j.AssertionFailedError: expected: not <null>
	at com.shop.orders.OrderServiceTest.addsLines(OrderServiceTest.java:35)`,
    },
  },
  {
    framework: 'JUnit 4',
    group: 'the name in JUnit 4',
    error: {
      type: 'org.junit.ComparisonFailure',
      message: 'expected:<a[b]c> but was:<a[d]c>',
      stack: `org.junit.ComparisonFailure: expected:<a[b]c> but was:<a[d]c>
	at org.junit.Assert.assertEquals(Assert.java:117)
	at com.shop.orders.NameTest.name(NameTest.java:12)
	at sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)`,
    },
  },
  {
    framework: 'JUnit 4',
    group: 'the name in JUnit 4',
    error: {
      type: 'java.lang.AssertionError',
      message: 'expected:<3> but was:<4>',
      stack: `java.lang.AssertionError: expected:<3> but was:<4>
	at com.shop.orders.NameTest.name(NameTest.java:14)`,
    },
  },
  {
    framework: 'AssertJ',
    group: 'a text that does not contain another one',
    error: {
      type: 'java.lang.AssertionError',
      message: '\nExpecting actual:\n  "abc"\nto contain:\n  "d" \n',
      stack: `java.lang.AssertionError: 
Expecting actual:
  "abc"
to contain:
  "d" 
	at com.shop.orders.NameTest.contains(NameTest.java:22)`,
    },
  },
  {
    framework: 'AssertJ',
    group: 'a text that does not start with another one',
    error: {
      type: 'java.lang.AssertionError',
      message: '\nExpecting actual:\n  "abc"\nto start with:\n  "d" \n',
      stack: 'java.lang.AssertionError:\n\tat com.shop.orders.NameTest.contains(NameTest.java:23)',
    },
  },
  {
    framework: 'JUnit 5',
    group: 'the connection of the repository',
    error: {
      type: 'java.lang.IllegalStateException',
      message: 'Failed to load ApplicationContext',
      stack: `java.lang.IllegalStateException: Failed to load ApplicationContext
	at org.springframework.test.context.cache.DefaultCache.load(DefaultCache.java:98)
	at com.shop.orders.OrderApiTest.setUp(OrderApiTest.java:20)
${reflection}
	Suppressed: java.io.IOException: close
		at com.shop.orders.Closer.close(Closer.java:3)
		Caused by: java.io.IOException: inner
			at com.shop.orders.Closer.inner(Closer.java:4)
Caused by: org.springframework.beans.factory.BeanCreationException: Error creating bean
	at org.springframework.beans.factory.Factory.create(Factory.java:600)
	... 23 more
Caused by: java.net.ConnectException: Connection refused
	at java.base/sun.nio.ch.Net.pollConnect(Native Method)
	at com.shop.db.Connections.open(Connections.java:17)
	... 41 more`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'the connection of the repository',
    error: {
      type: 'java.lang.RuntimeException',
      message: 'java.net.ConnectException: Connection refused',
      stack: `java.lang.RuntimeException: java.net.ConnectException: Connection refused
	at com.shop.invoices.InvoiceTest.reads(InvoiceTest.java:9)
Caused by: java.net.ConnectException: Connection refused (port 5433)
	at com.shop.db.Connections.open(Connections.java:19)
	... 2 more`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'a cause without a frame of its own',
    error: {
      type: 'java.lang.RuntimeException',
      message: 'read',
      stack: `java.lang.RuntimeException: read
	at com.shop.files.Reader.read(Reader.java:9)
	at com.shop.files.ReaderTest.reads(ReaderTest.java:9)
Caused by: java.io.FileNotFoundException: /tmp/junit1234/a.txt
	at java.base/java.io.FileInputStream.open0(Native Method)
	... 5 more`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'a lambda',
    error: {
      type: 'java.lang.NullPointerException',
      message: 'Cannot invoke "com.shop.Order.total()" because "<local1>" is null',
      stack: `java.lang.NullPointerException: Cannot invoke "com.shop.Order.total()"
	at com.shop.orders.Totals.lambda$sum$0(Totals.java:8)
	at com.shop.orders.Totals$$Lambda$14/0x0000000800c8.apply(Unknown Source)
	at java.base/java.util.stream.ReferencePipeline$3$1.accept(ReferencePipeline.java:197)`,
    },
  },
  {
    framework: 'JUnit 5',
    group: 'a lambda',
    error: {
      type: 'java.lang.NullPointerException',
      stack: `java.lang.NullPointerException
	at com.shop.orders.Totals.lambda$sum$2(Totals.java:11)`,
    },
  },
  {
    framework: 'TestNG',
    group: 'a configuration method of TestNG',
    error: {
      type: 'java.lang.IllegalStateException',
      hook: 'setUp',
      message: 'no database',
      stack: 'java.lang.IllegalStateException: no database\n\tat com.shop.Base.setUp(Base.java:10)',
    },
  },
  {
    framework: 'Kotlin test',
    group: 'the total in Kotlin',
    error: {
      type: 'java.lang.AssertionError',
      message: 'Expected <3>, actual <4>.',
      stack: `java.lang.AssertionError: Expected <3>, actual <4>.
	at kotlin.test.DefaultAsserter.fail(DefaultAsserter.kt:16)
	at com.shop.orders.TotalTest.adds the lines of an order(TotalTest.kt:12)`,
    },
  },
  {
    framework: 'Kotlin test',
    group: 'the total in Kotlin',
    error: {
      type: 'java.lang.AssertionError',
      message: 'Expected <30>, actual <40>.',
      stack: `java.lang.AssertionError: Expected <30>, actual <40>.
	at com.shop.orders.TotalTest.adds the lines of an order(TotalTest.kt:14)`,
    },
  },
  {
    framework: 'Kotlin test',
    group: 'a coroutine in Kotlin',
    error: {
      type: 'java.lang.AssertionError',
      message: 'Expected <3>, actual <4>.',
      stack: `java.lang.AssertionError: Expected <3>, actual <4>.
	at com.shop.orders.TotalTest$later$1.invokeSuspend(TotalTest.kt:22)
	at kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)`,
    },
  },
  {
    framework: 'Gradle',
    group: 'the worker of Gradle has crashed',
    error: {
      type: 'failure',
      message: "Process 'Gradle Test Executor 17' finished with non-zero exit value 137",
    },
  },
  {
    framework: 'Gradle',
    group: 'the worker of Gradle has crashed',
    error: {
      type: 'failure',
      message: "Process 'Gradle Test Executor 3' finished with non-zero exit value 137",
    },
  },
];
