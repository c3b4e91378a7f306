// Puts what pages load into dist/dashboard, beside the compiled scripts, and Playwright's trace viewer into
// dist/trace-viewer. Part of `npm run build`.
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { resolve } = createRequire(import.meta.url);
const target = new URL('../../dist/dashboard/', import.meta.url);
await mkdir(target, { recursive: true });
const files = {
  'style.css': new URL('style.css', import.meta.url),
  'icon.svg': new URL('icon.svg', import.meta.url),
  'uPlot.css': resolve('uplot/dist/uPlot.min.css'),
  'uPlot.js': resolve('uplot/dist/uPlot.esm.js'),
};
for (const [name, source] of Object.entries(files)) await copyFile(source, new URL(name, target));

// Copied, so that the installed service does not need the 13 MB of the package.
const playwright = dirname(resolve('playwright-core/package.json'));
const viewer = fileURLToPath(new URL('../../dist/trace-viewer/', import.meta.url));
await cp(join(playwright, 'lib/vite/traceViewer'), viewer, { recursive: true });
for (const name of ['LICENSE', 'NOTICE']) await copyFile(join(playwright, name), join(viewer, name));
