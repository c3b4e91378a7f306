// Writes the limits of src/limits.ts into the schemas that repeat them. Part of `npm run generate`; needs a build.
import { readFile, writeFile } from 'node:fs/promises';
import { limits } from '../dist/src/limits.js';

const here = new URL('.', import.meta.url);
const read = async (file) => JSON.parse(await readFile(new URL(file, here), 'utf8'));

const schemas = new Map();
for (const [place, limit] of Object.entries(await read('limits.json'))) {
  if (limits[limit] === undefined)
    throw new Error(`limits.json names ${limit}, which src/limits.ts does not have`);
  const [file, pointer] = place.split('#/');
  if (!schemas.has(file)) schemas.set(file, await read(file));
  const path = pointer.split('/');
  const keyword = path.pop();
  const parent = path.reduce((value, name) => value?.[name], schemas.get(file));
  if (typeof parent?.[keyword] !== 'number') throw new Error(`there is no number at ${place}`);
  parent[keyword] = limits[limit];
}
for (const [file, schema] of schemas)
  await writeFile(new URL(file, here), `${JSON.stringify(schema, null, 2)}\n`);
