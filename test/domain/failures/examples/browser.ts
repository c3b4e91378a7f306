import type { Example } from './example.js';

const playwright = (locator: string, root: string): string =>
  `Error: expect(locator).toBeVisible() failed

Locator:  ${locator}
Expected: visible
Timeout:  5000ms
Error: element(s) not found

Call log:
  - Expect "toBeVisible" with timeout 5000ms
  - waiting for ${locator}

    at ${root}/e2e/orders.spec.ts:12:34`;

export const browser: Example[] = [
  {
    framework: 'Playwright',
    group: 'the button of a row is not visible',
    error: {
      message: playwright("locator('#row-17').getByRole('button', { name: 'Save' }).nth(3)", '/root/project'),
    },
  },
  {
    framework: 'Playwright',
    group: 'the button of a row is not visible',
    error: {
      message: playwright("locator('#row-9').getByRole('button', { name: 'Save' }).first()", '/app'),
    },
  },
  {
    framework: 'Playwright',
    group: 'the button of a row is not visible',
    error: {
      type: 'Error',
      message: `Timed out 5000ms waiting for expect(locator).toBeVisible()

Locator: locator('#row-1042').getByRole('button', { name: 'Save' })
Expected: visible
Received: <element(s) not found>
Call log:
\u001b[2m  - expect.toBeVisible with timeout 5000ms\u001b[22m`,
      stack: '    at helper (/home/runner/work/shop/shop/e2e/other.spec.ts:3:1)',
    },
  },
  {
    framework: 'Playwright',
    group: 'the button of a row has another text',
    error: {
      message: `Error: expect(locator).toHaveText(expected) failed

Locator: locator('#row-17').getByRole('button', { name: 'Save' })
Expected string: "A"
Received string: "B"`,
    },
  },
  {
    framework: 'Playwright',
    group: 'another button is not visible',
    error: { message: playwright("locator('#row-17').getByRole('button', { name: 'Delete' })", '/app') },
  },
  {
    framework: 'Playwright',
    group: 'a first heading is not visible',
    error: { message: playwright("locator('h1')", '/app') },
  },
  {
    framework: 'Playwright',
    group: 'a second heading is not visible',
    error: { message: playwright("locator('h2')", '/app') },
  },
  {
    framework: 'Playwright',
    group: 'a click waits for the button',
    error: {
      type: 'TimeoutError',
      message: `locator.click: Timeout 30000ms exceeded.
Call log:
  - waiting for getByTestId('order-8f14e45f-ceea-467f-9575-6c2b3d3f2e11').locator('button:nth-child(2)')
`,
      stack: '    at OrdersPage.open (/root/project/e2e/pages/orders.ts:7:20)',
    },
  },
  {
    framework: 'Playwright',
    group: 'a click waits for the button',
    error: {
      message: `TimeoutError: locator.click: Timeout 5000ms exceeded.
Call log:
  - waiting for getByTestId('order-1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed').locator('button:nth-child(7)')
`,
    },
  },
  {
    framework: 'Playwright',
    group: 'a click finds two buttons',
    error: {
      message: `Error: locator.click: Error: strict mode violation: getByTestId('order-1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed').locator('button') resolved to 2 elements:
    1) <button>A</button> aka getByRole('button', { name: 'A' })`,
    },
  },
  {
    framework: 'Playwright',
    group: 'a page does not open',
    error: {
      message:
        'Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/\nCall log:\n  - navigating to "http://localhost:3000/", waiting until "load"',
      stack: '    at OrdersPage.goto (/app/e2e/pages/orders.ts:3:20)',
    },
  },
  {
    framework: 'Playwright',
    group: 'a page does not open',
    error: {
      message:
        'page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:41234/\nCall log:\n  - navigating to "http://127.0.0.1:41234/"',
      stack: '    at async OrdersPage.goto (/builds/team/shop/e2e/pages/orders.ts:5:20)',
    },
  },
  {
    framework: 'Playwright',
    group: 'a hook takes too long',
    file: 'e2e/orders.spec.ts',
    error: { message: 'Test timeout of 30000ms exceeded while running "beforeEach" hook.' },
  },
  {
    framework: 'Playwright for Python',
    group: 'a locator of Python',
    error: {
      type: 'AssertionError',
      message: `Locator expected to be visible
Actual value: None
Call log:
LocatorAssertions.to_be_visible with timeout 5000ms
  - waiting for get_by_role("row", name="Order 1042").locator("td")`,
    },
  },
  {
    framework: 'Playwright for Python',
    group: 'a locator of Python',
    error: {
      type: 'AssertionError',
      message: `Locator expected to be visible
Call log:
  - waiting for get_by_role("row", name="Order 9").locator("td").nth(1)`,
      stack: 'tests/test_orders.py:9: AssertionError',
    },
  },
  {
    framework: 'Cypress',
    group: 'Cypress does not find the button',
    error: {
      type: 'AssertionError',
      message:
        'Timed out retrying after 4000ms: Expected to find element: `.order:nth-child(3) [data-cy=save]`, but never found it.',
      stack: 'AssertionError: x\n    at Context.eval (webpack://shop/./cypress/e2e/orders.cy.js:12:7)',
    },
  },
  {
    framework: 'Cypress',
    group: 'Cypress does not find the button',
    error: {
      message:
        'AssertionError: Timed out retrying after 10000ms: Expected to find element: `.order:nth-child(12) [data-cy=save]`, but never found it.',
    },
  },
  {
    framework: 'Cypress',
    group: 'Cypress does not find the text',
    error: {
      message:
        "Timed out retrying after 4000ms: Expected to find content: 'Order 12' within the element: <div.order> but never did.",
    },
  },
  {
    framework: 'Cypress',
    group: 'Cypress does not find the text',
    error: {
      message: "Timed out retrying after 4000ms: Expected to find content: 'Order 377' but never did.",
    },
  },
  {
    framework: 'Cypress',
    group: 'a hook of Cypress',
    file: 'cypress/e2e/orders.cy.js',
    error: {
      type: 'CypressError',
      message:
        '`cy.visit()` failed trying to load:\n\nhttp://localhost:4200/\n\nBecause this error occurred during a `before each` hook we are skipping the remaining tests in the current suite: `orders`',
    },
  },
  {
    framework: 'Cypress',
    group: 'a text that Cypress found is another one',
    error: {
      type: 'AssertionError',
      message:
        "Timed out retrying after 4000ms: expected '<span.total>' to have text '3', but the text was '4'",
      stack:
        'AssertionError: x\n    at Context.eval (webpack://shop/./cypress/e2e/orders.cy.js:12:7)\n    at getRet (http://localhost:3500/__cypress/runner/cypress_runner.js:1:1)',
    },
  },
  {
    framework: 'Selenium for Java',
    group: 'Selenium does not find the cell',
    error: {
      type: 'org.openqa.selenium.NoSuchElementException',
      message:
        'no such element: Unable to locate element: {"method":"css selector","selector":"#row-17 > td[data-id=\\"4711\\"]"}\n  (Session info: chrome=120.0.6099.109)',
      stack:
        'org.openqa.selenium.NoSuchElementException: no such element\n\tat org.openqa.selenium.remote.RemoteWebDriver.findElement(RemoteWebDriver.java:352)\n\tat com.shop.e2e.OrdersPage.cell(OrdersPage.java:31)',
    },
  },
  {
    framework: 'Selenium for Python',
    group: 'Selenium does not find the cell',
    error: {
      type: 'NoSuchElementException',
      message:
        'Message: no such element: Unable to locate element: {"method":"css selector","selector":"#row-9 > td[data-id=\\"12\\"]"}\n  (Session info: chrome=121.0.1)',
    },
  },
  {
    framework: 'Selenium for Java',
    group: 'Selenium waits for the dialog',
    error: {
      type: 'TimeoutException',
      message:
        'Expected condition failed: waiting for visibility of element located by By.cssSelector: #dialog (tried for 10 second(s) with 500 milliseconds interval)',
    },
  },
  {
    framework: 'Selenium for Java',
    group: 'Selenium waits for the dialog',
    error: {
      message:
        'org.openqa.selenium.TimeoutException: Expected condition failed: waiting for visibility of element located by By.cssSelector: #dialog (tried for 30 second(s) with 250 milliseconds interval)',
    },
  },
  {
    framework: 'WebdriverIO',
    group: 'WebdriverIO waits for the menu',
    error: { message: 'element ("#menu") still not displayed after 5000ms', type: 'Error' },
  },
  {
    framework: 'Puppeteer',
    group: 'Puppeteer waits for the menu',
    error: {
      message: 'Waiting for selector `#menu` failed: Waiting failed: 30000ms exceeded',
      type: 'TimeoutError',
    },
  },
  {
    framework: 'Capybara',
    group: 'Capybara does not find the field',
    error: { type: 'Capybara::ElementNotFound', message: 'Unable to find visible field "Name"' },
  },
];
