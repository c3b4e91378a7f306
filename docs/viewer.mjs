// Copies the viewer of the API document into dist/viewer/. Part of `npm run build`.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const target = new URL('../dist/viewer/', import.meta.url);
await mkdir(target, { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
  await copyFile(resolve(`swagger-ui-dist/${file}`), new URL(file, target));
}
