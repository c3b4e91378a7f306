/** The browser of the tests: Chromium as it is installed, with nothing that calls home. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(process.env),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** `CHROMIUM`, or the first that is in the `PATH`. @throws Error that says what to install */
export function chromiumPath({ CHROMIUM, PATH = '' }: NodeJS.ProcessEnv): string {
  if (CHROMIUM) return CHROMIUM;
  for (const name of names) {
    const found = PATH.split(delimiter)
      .map((folder) => join(folder, name))
      .find(isProgram);
    if (found !== undefined) return found;
  }
  throw new Error(
    `the tests need Chromium: install it, or set CHROMIUM to its path (looked for ${names.join(', ')})`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
