/** What tests of these tools say when they fail. Some texts have the colours of a terminal, as the tools write them. */

export type Failure = {
  message: string;
  type?: string;
  stack?: string;
  expected?: string;
  actual?: string;
  hook?: string;
};

/** The test that failed, as far as its error shows it. */
export type Failing = { file: string; line: number; title: string };

const ROOT = '/home/runner/work/web-shop/web-shop';
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;

function playwrightStack(head: string, { file, line }: Failing, own: readonly string[]): string {
  return [head, ...own, `    at ${ROOT}/${file}:${line + 3}:9`].join('\n');
}

function click(locator: string, own: readonly string[]) {
  return (failing: Failing): Failure => {
    const message = [
      'TimeoutError: locator.click: Timeout 5000ms exceeded.',
      'Call log:',
      dim(`  - waiting for ${locator}`),
      dim('    - locator resolved to <button disabled type="submit" class="button primary">…</button>'),
      dim('  - attempting click action'),
      dim('    2 × waiting for element to be visible, enabled and stable'),
      dim('      - element is not enabled'),
      dim('    - retrying click action'),
    ].join('\n');
    return { type: 'TimeoutError', message, stack: playwrightStack(message.split('\n')[0]!, failing, own) };
  };
}

function webExpect(matcher: string, locator: string, expected: string, actual: string) {
  return (failing: Failing): Failure => {
    const head = `Error: ${dim('expect(')}${red('locator')}${dim(').')}${matcher}${dim('(')}${green('expected')}${dim(')')} failed`;
    const message = [
      head,
      '',
      `Locator:  ${locator}`,
      `Expected: ${green(expected)}`,
      `Received: ${red(actual)}`,
      'Timeout:  5000ms',
      '',
      'Call log:',
      dim(`  - Expect "${matcher}" with timeout 5000ms`),
      dim(`  - waiting for ${locator}`),
    ].join('\n');
    return { type: 'Error', message, expected, actual, stack: playwrightStack(head, failing, []) };
  };
}

function jestEqual(
  matcher: string,
  expected: string,
  actual: string,
  [where, place]: readonly [string, string],
) {
  return ({ file, line }: Failing): Failure => {
    const head = `expect(${red('received')}).${matcher}(${green('expected')})`;
    const message = `${head}\n\nExpected: ${green(expected)}\nReceived: ${red(actual)}`;
    const stack = [
      `Error: ${message}`,
      `    at ${where} (${ROOT}/${place})`,
      `    at Object.<anonymous> (${ROOT}/${file}:${line + 2}:24)`,
      `    at Promise.finally.completed (${ROOT}/node_modules/jest-circus/build/jestAdapterInit.js:1559:28)`,
      `    at callCircusTest (${ROOT}/node_modules/jest-circus/build/run.js:252:10)`,
      `    at run (${ROOT}/node_modules/jest-circus/build/run.js:71:3)`,
    ].join('\n');
    return { type: 'Error', message, expected, actual, stack };
  };
}

function pytestAssert(line: string, where: string, expected: string, actual: string) {
  return (failing: Failing): Failure => ({
    type: 'AssertionError',
    message: `AssertionError: ${line}`,
    expected,
    actual,
    stack: [
      'Traceback (most recent call last):',
      `  File "${ROOT}/${failing.file}", line ${failing.line + 6}, in ${failing.title}`,
      `    ${line}`,
      `  File "${ROOT}/${where}`,
      `AssertionError: ${line}`,
    ].join('\n'),
  });
}

function java(type: string, text: string, frames: readonly string[], more: Partial<Failure> = {}) {
  return ({ file, line, title }: Failing): Failure => ({
    type,
    message: `${type}: ${text}`,
    ...more,
    stack: [
      `${type}: ${text}`,
      '\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)',
      ...frames.map((frame) => `\tat ${frame}`),
      `\tat ${file}.${title}(${file.split('.').at(-1)}.java:${line + 4})`,
      '\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)',
      '\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1596)',
    ].join('\n'),
  });
}

const invoice = {
  expected: '{\n  "status": 200,\n  "type": "application/pdf",\n  "pages": 1,\n  "currency": "EUR"\n}',
  actual:
    '{\n  "status": 500,\n  "type": "application/problem+json",\n  "title": "archive is read-only",\n  "currency": "EUR"\n}',
};

/** By the name that the story uses. */
const failures = {
  /** One cause, several tests: the button of the checkout stays disabled. */
  payButton: click("getByRole('button', { name: 'Pay now' })", [
    `    at CheckoutPage.pay (${ROOT}/e2e/pages/checkout-page.ts:58:31)`,
  ]),
  total: webExpect('toHaveText', "getByTestId('total')", '€ 59.90', '€ 55.98'),
  hidden: webExpect('toBeVisible', "getByRole('dialog')", 'visible', 'hidden'),
  voucher: webExpect(
    'toHaveText',
    "getByRole('alert')",
    'This voucher has been used.',
    'Your voucher is applied.',
  ),
  rating: webExpect('toHaveText', "locator('.product').first().locator('.rating')", '4.9', '3.2'),
  suggestions: click("getByRole('option', { name: 'winter jacket' })", [
    `    at SearchBox.choose (${ROOT}/e2e/pages/search-box.ts:31:18)`,
  ]),
  session: webExpect('toHaveCount', "getByTestId('cart-line')", '2', '0'),
  wallet: (failing: Failing): Failure => {
    const message = `${red('Test timeout of 30000ms exceeded.')}\n\nError: page.waitForURL: Test timeout of 30000ms exceeded.\n=========================== logs ===========================\nwaiting for navigation until "load"\n============================================================`;
    return {
      type: 'Error',
      message,
      stack: playwrightStack('Error: page.waitForURL: Test timeout of 30000ms exceeded.', failing, [
        `    at WalletPage.approve (${ROOT}/e2e/pages/wallet-page.ts:22:21)`,
      ]),
    };
  },
  parcel: webExpect('toContainText', "getByTestId('parcel')", 'On its way', 'We cannot reach the carrier.'),
  visual: (failing: Failing): Failure => {
    const head = `Error: ${dim('expect(')}${red('page')}${dim(').')}toHaveScreenshot${dim('(')}${green('expected')}${dim(')')} failed`;
    const message = `${head}\n\n  ${red('2841 pixels (ratio 0.02 of all image pixels) are different.')}\n\n  Snapshot: page.png`;
    return { type: 'Error', message, stack: playwrightStack(head, failing, []) };
  },
  invoice: (failing: Failing): Failure => {
    const head = 'Error: expect(received).toEqual(expected) // deep equality';
    const message = `${head}\n\n- Expected  - 3\n+ Received  + 3\n\n  {\n-   "pages": 1,\n-   "status": 200,\n-   "type": "application/pdf",\n+   "status": 500,\n+   "title": "archive is read-only",\n+   "type": "application/problem+json",\n    "currency": "EUR"\n  }`;
    return { type: 'Error', message, ...invoice, stack: playwrightStack(head, failing, []) };
  },
  outage: (failing: Failing): Failure => {
    const head = 'Error: page.goto: net::ERR_CONNECTION_REFUSED at https://shop.test/sign-in';
    return {
      type: 'Error',
      message: `${head}\nCall log:\n${dim('  - navigating to "https://shop.test/sign-in", waiting until "load"')}`,
      hook: 'beforeEach hook',
      stack: playwrightStack(head, failing, [`    at signIn (${ROOT}/e2e/fixtures/sign-in.ts:14:14)`]),
    };
  },
  umlauts: jestEqual('toBe', '"grüne Jacke"', '"grune Jacke"', ['parseQuery', 'src/search/query.ts:41:12']),
  locale: jestEqual('toBe', '"1.234,50 €"', '"1,234.50 €"', ['formatPrice', 'src/i18n/number.ts:17:10']),
  tax: jestEqual('toBeCloseTo', '7.48', '20.33', ['reducedTax', 'src/cart/totals.ts:63:11']),
  act: jestEqual('toHaveBeenCalledTimes', '1', '2', ['subscribe', 'src/cart/store.ts:28:5']),
  lazy: jestEqual('toBe', '3', '0', ['waitForPictures', 'src/product/Gallery.test-kit.ts:12:9']),
  ranking: pytestAssert(
    "assert ['sku-7', 'sku-2'] == ['sku-2', 'sku-7']",
    'shop/search/ranking.py", line 88, in rank',
    "['sku-2', 'sku-7']",
    "['sku-7', 'sku-2']",
  ),
  export: pytestAssert('assert 403 == 200', 'shop/accounts/export.py", line 31, in export', '200', '403'),
  stale: pytestAssert(
    'assert 41 == 42  # documents in the index',
    'shop/search/index.py", line 120, in refresh',
    '42',
    '41',
  ),
  stock: pytestAssert('assert -1 >= 0', 'shop/stock/reserve.py", line 54, in reserve', '>= 0', '-1'),
  warehouse: ({ file, line, title }: Failing): Failure => ({
    type: 'KeyError',
    message: "KeyError: 'gtin'",
    stack: [
      'Traceback (most recent call last):',
      `  File "${ROOT}/${file}", line ${line + 4}, in ${title}`,
      '    import_stock(delivery)',
      `  File "${ROOT}/shop/stock/warehouse.py", line 77, in import_stock`,
      "    articles = {row['gtin']: row for row in rows}",
      "KeyError: 'gtin'",
    ].join('\n'),
  }),
  database: (): Failure => ({
    type: 'OperationalError',
    message:
      'sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection failed: connection to server at "127.0.0.1", port 5432 failed: Connection refused',
    hook: 'database',
    stack: [
      'Traceback (most recent call last):',
      `  File "${ROOT}/tests/conftest.py", line 23, in database`,
      '    connection = engine.connect()',
      '  File "/opt/venv/lib/python3.13/site-packages/sqlalchemy/engine/base.py", line 3273, in connect',
      '    return self._connection_cls(self)',
      'sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection failed: Connection refused',
    ].join('\n'),
  }),
  refund: java(
    'org.opentest4j.AssertionFailedError',
    'expected: <12.35> but was: <12.34>',
    ['com.shop.payments.Money.assertSame(Money.java:91)'],
    { expected: '12.35', actual: '12.34' },
  ),
  lock: java('java.util.concurrent.TimeoutException', 'the balance was not locked within 2 s', [
    'com.shop.payments.BalanceLock.await(BalanceLock.java:48)',
  ]),
} satisfies Record<string, (failing: Failing) => Failure>;

export type ErrorName = keyof typeof failures;

export function failureOf(name: ErrorName, failing: Failing): Failure {
  return failures[name](failing);
}
