// Makes the TypeScript types of the event and request schemas. `npm run generate`; `.ci/run` fails on a drift.
import { readdir, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const here = new URL('.', import.meta.url);

await generate('events', 'EventData', 'src/domain/events.generated.ts', /^(\w+)\.v(\d+)\.json$/);
await generate('requests', 'Requests', 'src/http/requests.generated.ts', /^(\w+)\.json$/);

async function generate(folder, name, target, pattern) {
  const files = (await readdir(new URL(`${folder}/`, here))).filter((file) => pattern.test(file)).sort();
  const title = (file) => file.match(pattern)[1];
  const all = {
    title: name,
    type: 'object',
    properties: Object.fromEntries(files.map((file) => [title(file), { $ref: `./${folder}/${file}` }])),
    required: files.map(title),
    additionalProperties: false,
  };
  const text = await compile(all, name, {
    cwd: new URL('.', here).pathname,
    bannerComment: `/* Made from schemas/${folder}/ by \`npm run generate\`. Do not edit. */`,
    style: { singleQuote: true, printWidth: 110 },
  });
  await writeFile(new URL(`../${target}`, here), text);
}
