// Writes dist/validators/: the schemas as JavaScript. Part of `npm run build`, after the compiler.
import { mkdir, writeFile } from 'node:fs/promises';
import { compileSchemas } from '../dist/src/validation/compile.js';

const target = new URL('../dist/validators/', import.meta.url);
await mkdir(target, { recursive: true });
for (const folder of ['events', 'requests']) {
  await writeFile(new URL(`${folder}.cjs`, target), compileSchemas(folder));
}
