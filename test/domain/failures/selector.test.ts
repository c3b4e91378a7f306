import { expect } from 'chai';
import { selectorShape, waitedFor } from '../../../src/domain/failures/selector.js';

describe('the shape of a selector', () => {
  for (const [selector, shape] of [
    ["locator('tr').nth(3).locator('td').first()", "locator('tr').locator('td')"],
    ["locator('tr >> nth=2')", "locator('tr')"],
    ['table tr:nth-child(2n+1) > td:nth-of-type(3):eq(1)', 'table tr > td'],
    ['ul li:first-child', 'ul li'],
    ['//table/tr[3]/td[last()]/a[@href="/orders/17"]', '//table/tr/td/a[@href="/orders/<n>"]'],
    ['#row-17', '#row-<n>'],
    ['#row17', '#row<n>'],
    ['[data-id="3f2a9c1e-77aa-4a52-9b2e-1f0c2d3e4f5a"]', '[data-id="<id>"]'],
    ["locator('h1')", "locator('h1')"],
    [
      "getByRole('heading', { name: 'Order 1042', level: 2 })",
      "getByRole('heading', { name: 'Order <n>', level: 2 })",
    ],
    ['#radix-:r1a:', '#radix-:<id>:'],
    ['.first-name', '.first-name'],
  ] as const) {
    it(`of ${selector} is ${shape}`, () => expect(selectorShape(selector)).to.equal(shape));
  }
});

describe('the locator that a test waited for', () => {
  it('ends with its last bracket, whatever is quoted in it', () => {
    const locator = `getByText('a) b').filter({ hasText: "it's" }).getByRole('cell')`;
    expect(waitedFor([`  - waiting for ${locator} to be visible (x)`])?.selector).to.equal(locator);
  });

  it('is not found where something else was waited for', () => {
    expect(waitedFor(['Error: timed out waiting for the server to start (port 17)'])).to.equal(null);
    expect(waitedFor(['page.goto: Timeout 30000ms exceeded.', '  - waiting until "load"'])).to.equal(null);
  });
});
