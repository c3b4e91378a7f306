/** A server with an owner, and pages of it in Chromium. Every page that a test opens is watched for faults. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'chai';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Api } from './client.js';
import { OWNER_KEY } from './environment.js';
import { serverWith } from './server.js';
import { launchChromium } from './chromium.js';

export type Site = {
  readonly url: string;
  /** A client with a key of an owner. */
  readonly api: Api;
  /** The path of the operator's team. */
  readonly team: string;
  /** The link of the first start. It has been used, unless `signedIn` is false. */
  readonly firstStart: string;
  /** Opens a browser window, with the session of the owner unless `signedOut`. */
  open(options?: BrowserContextOptions & { signedOut?: boolean }): Promise<Watched>;
};

export type Watched = {
  page: Page;
  /** Goes to a path of the server, and waits until its scripts have run. */
  go(path: string): Promise<void>;
  /** Fails where a script failed, the policy was broken, a dialog opened or a request failed. */
  expectNoFaults(): void;
};

export const account = {
  name: 'Olga Owner',
  email: 'olga@shop.example',
  password: 'a long password of Olga',
};

/**
 * Declares the server and the browser for the tests of the block around it. `fill` is called once, with the owner's key.
 * `environment`: more variables of the server.
 */
export function testSite(
  fill?: (site: { url: string; key: string }) => Promise<unknown>,
  signedIn = true,
  environment: () => Promise<Record<string, string>> = async () => ({}),
): Site {
  let browser: Browser | null = null;
  let [firstStart, team] = ['', ''];
  const { server, open, close } = serverWith({ VALIDATE_EVENTS: 'off' }, pino({ level: 'silent' }), {
    firstStart: (url) => (firstStart = url),
  });
  let session: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;
  const contexts: BrowserContext[] = [];
  const watched: Watched[] = [];

  const site: Site = {
    get url() {
      return server.url;
    },
    get api() {
      return server.operator;
    },
    get team() {
      return team;
    },
    get firstStart() {
      return firstStart;
    },
    async open({ signedOut = false, ...options } = {}) {
      const context = await browser!.newContext({
        ...(!signedOut && session && { storageState: session }),
        ...options,
      });
      contexts.push(context);
      const opened = await watch(context, site.url);
      watched.push(opened);
      return opened;
    },
  };

  before(async () => {
    await open(await environment());
    browser = await launchChromium();
    const me = await site.api.get('/v1/me');
    team = `/teams/${me.body.data.team.id}`;
    await fill?.({ url: site.url, key: OWNER_KEY });
    if (signedIn) session = await becomeOwner(await site.open(), firstStart);
  });
  afterEach(async () => {
    for (const one of watched.splice(0)) one.expectNoFaults();
    for (const context of contexts.splice(0)) await context.close();
  });
  after(async () => {
    await browser?.close();
    await close();
  });
  return site;
}

/** Fills in the form of the first start. */
export async function becomeOwner(
  { page }: Watched,
  link: string,
): ReturnType<BrowserContext['storageState']> {
  await page.goto(link);
  await page.getByLabel('Your name').fill(account.name);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.waitForURL(/\/teams\//);
  return page.context().storageState();
}

async function watch(context: BrowserContext, url: string): Promise<Watched> {
  const faults: string[] = [];
  await context.exposeFunction('reportToTheTest', (fault: string) => void faults.push(fault));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const report = (globalThis as unknown as { reportToTheTest: (fault: string) => void }).reportToTheTest;
      report(`policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('requestfailed', (request) => {
    // The stream of live parts, and what is loading, end when the page is left.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      faults.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`answer: ${response.url()} ${response.status()}`);
  });
  return {
    page,
    async go(path) {
      const response = await page.goto(url + path, { waitUntil: 'load' });
      expect(response!.status(), path).to.equal(200);
    },
    expectNoFaults: () => expect(faults).to.deep.equal([]),
  };
}

/**
 * The findings of axe-core that are serious or critical, each with the element. It looks at the page alone, which has no frame
 * of another origin, and gathers nothing but what it finds: with frames and all that is right, it takes three times as long.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** By how many pixels the page is wider than the window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Into `SCREENSHOTS`, default `.cache/screenshots`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'] ?? '.cache/screenshots';
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
