/** How long a page takes in Chromium over a slow line, from the click until a person can read it. */
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from '../../test/kit/chromium.js';
import { quantile } from '../table/table.js';

/** A line at 100 ms and 5 Mbit/s. Chromium delays each request by the latency, and a new connection not once more. */
const LINE = { latency: 100, downloadThroughput: 5_000_000 / 8, uploadThroughput: 5_000_000 / 8 };
const VISITS = 3;

export type Visit = { name: string; ms: number };

/** The median time until the largest part of each page is there, for one who comes for the first time: the browser has kept nothing. */
export async function usefulTimes(
  { url, cookie }: { url: string; cookie: string },
  pages: Readonly<Record<string, string>>,
): Promise<Visit[]> {
  const browser = await launchChromium();
  try {
    const visits: Visit[] = [];
    for (const [name, path] of Object.entries(pages)) {
      const took: number[] = [];
      for (let n = 0; n < VISITS; n += 1) took.push(await firstVisit(browser, cookie, url + path));
      visits.push({ name, ms: quantile(took, 0.5) });
    }
    return visits;
  } finally {
    await browser.close();
  }
}

async function firstVisit(browser: Browser, cookie: string, url: string): Promise<number> {
  const context = await browser.newContext();
  try {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    return await largestShown(context, url);
  } finally {
    await context.close();
  }
}

async function largestShown(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  const line = await context.newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', { offline: false, ...LINE });
  const answer = await page.goto(url, { waitUntil: 'load' });
  if (answer?.status() !== 200) throw new Error(`${url}: ${answer?.status()}`);
  // What a page takes from a page of its own may be the answer.
  await page.locator('later-part').first().waitFor({ state: 'detached' });
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const seen = new PerformanceObserver((list) => resolve(list.getEntries().at(-1)!.startTime));
        seen.observe({ type: 'largest-contentful-paint', buffered: true });
      }),
  );
}
