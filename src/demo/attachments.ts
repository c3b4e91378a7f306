/** The files of results that failed: pictures, and what was logged. */
import type { ErrorName } from './errors.js';
import { cartTriple, checkoutScreen, productsScreen } from './pictures.js';
import { randomFor } from './random.js';
import type { Item } from './runs.js';
import type { DemoFile } from './service.js';
import type { Suite } from './suites.js';

type Attachment = Omit<DemoFile, 'resultId'>;

/** Empty for a result that passed. */
export function attachmentsOf({ test, error, submitted }: Item, { tool }: Suite): Attachment[] {
  if (error === null) return [];
  const log = logOf(test.key, error, Date.parse(submitted.started_at!), tool);
  switch (tool) {
    case 'playwright':
      return error === 'visual'
        ? [...visual(), log]
        : [image('screenshot.png', error === 'payButton' ? checkoutScreen() : productsScreen(test.key)), log];
    case 'pytest':
    case 'junit':
      return [log];
    case 'jest':
      return [];
  }
}

/** The names are those that Playwright gives. */
function visual(): Attachment[] {
  const { expected, actual, diff } = cartTriple();
  return [
    image('page-expected.png', expected),
    image('page-actual.png', actual),
    image('page-diff.png', diff),
  ];
}

function image(label: string, bytes: Uint8Array): Attachment {
  return { label, kind: 'Image', contentType: 'image/png', bytes };
}

const routes = [
  '/api/cart',
  '/api/products?page=2',
  '/api/session',
  '/api/stock',
  '/api/orders',
  '/assets/app.js',
];

function logOf(key: string, error: ErrorName, began: number, tool: Suite['tool']): Attachment {
  const random = randomFor(key);
  let at = began;
  const lines = Array.from({ length: 40 }, (_, n) => {
    at += random.between(3, 180);
    const time = new Date(at).toISOString().slice(11, 23);
    const isLate = n > 33 && random.chance(0.5);
    const status = isLate ? 503 : random.pick([200, 200, 200, 204, 304]);
    const level = isLate ? '\u001b[31mERROR\u001b[39m' : '\u001b[32mINFO\u001b[39m ';
    return `${time} ${level} GET ${random.pick(routes)} ${status} ${random.between(2, 90)} ms`;
  });
  lines.push(
    `${new Date(at + 5).toISOString().slice(11, 23)} \u001b[33mWARN\u001b[39m  the test ends: ${error}`,
  );
  const label = tool === 'playwright' ? 'browser.log' : 'server.log';
  return {
    label,
    kind: 'Log',
    contentType: 'text/plain; charset=utf-8',
    bytes: Buffer.from(`${lines.join('\n')}\n`),
  };
}
