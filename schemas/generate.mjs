// Makes the TypeScript types of the event schemas. `npm run generate`; `.ci/run` fails on a drift.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const here = new URL('.', import.meta.url);

const events = await eventSchemas();
const allEventData = objectOf({
  current: { title: 'EventData', ...objectOf(events.current) },
  past: { title: 'PastEventData', ...objectOf(events.past) },
});
const types = await compile({ title: 'AllEventData', ...allEventData }, 'AllEventData', {
  cwd: here.pathname,
  bannerComment: '/* Made from schemas/events/ by `npm run generate`. Do not edit. */',
  style: { singleQuote: true, printWidth: 110 },
});
await writeFile(
  new URL('../src/domain/events.generated.ts', here),
  `${types}/** The current version of every event type. */\nexport const eventVersions = ${JSON.stringify(events.versions, null, 2).replaceAll('"', '')};\n`,
);
await writeSecretForms();

/** The one table of both clients: that of pytest reads it as it is, and a package of Node 20 imports no JSON. */
async function writeSecretForms() {
  const source = 'clients/pytest/src/pytest_testledger/secret_forms.json';
  const { about: _, ...table } = JSON.parse(await readFile(new URL(`../${source}`, here), 'utf8'));
  const text = `/* Made from ${source} by \`npm run generate\`. Do not edit. */\n\nexport const secretForms = ${JSON.stringify(table)} as const;\n`;
  await writeFile(new URL('../src/client/masking/forms.generated.ts', here), text);
}

/** The newest schema of each type, by type; the older ones by file name, with titles that differ. */
async function eventSchemas() {
  const files = (await readdir(new URL('events/', here)))
    .map((file) => /^(?<type>\w+)\.v(?<version>\d+)\.json$/.exec(file)?.groups)
    .filter((groups) => groups !== undefined)
    .map(({ type, version }) => ({ type, version: Number(version) }))
    .sort((a, b) => a.type.localeCompare(b.type, 'en') || a.version - b.version);
  const newest = Object.fromEntries(files.map(({ type, version }) => [type, version]));
  const current = {};
  const past = {};
  for (const { type, version } of files) {
    const path = `events/${type}.v${version}.json`;
    if (version === newest[type]) current[type] = { $ref: `./${path}` };
    else past[`${type}.v${version}`] = await retitled(path, `${type}V${version}`);
  }
  return { current, past, versions: newest };
}

/** The schema of an older version, written into the root: two files with one title would get unclear names. */
async function retitled(path, title) {
  const text = await readFile(new URL(path, here), 'utf8');
  const { $id: _, ...schema } = JSON.parse(text.replaceAll('"../common.json', '"./common.json'));
  return { ...schema, title };
}

function objectOf(properties) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
