// Puts what pages load into dist/dashboard, beside the compiled scripts. Part of `npm run build`.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

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
