// Writes into the schemas what several of them repeat: the limits of src/limits.ts, the types of messages, and the fields of
// run-description.json. Part of `npm run generate`; needs a build.
import { readFile, writeFile } from 'node:fs/promises';
import { messageTypes, subscribableTypes } from '../dist/src/domain/messages/message-types.js';
import { limits } from '../dist/src/limits.js';

const here = new URL('.', import.meta.url);
const read = async (file) => JSON.parse(await readFile(new URL(file, here), 'utf8'));

const schemas = new Map();
const schemaOf = async (file) => {
  if (!schemas.has(file)) schemas.set(file, await read(file));
  return schemas.get(file);
};

for (const [place, limit] of Object.entries(await read('limits.json'))) {
  if (limits[limit] === undefined)
    throw new Error(`limits.json names ${limit}, which src/limits.ts does not have`);
  const [file, pointer] = place.split('#/');
  const path = pointer.split('/');
  const keyword = path.pop();
  const parent = path.reduce((value, name) => value?.[name], await schemaOf(file));
  if (typeof parent?.[keyword] !== 'number') throw new Error(`there is no number at ${place}`);
  parent[keyword] = limits[limit];
}

const { $defs } = await schemaOf('common.json');
$defs.messageType.enum = Object.keys(messageTypes);
$defs.webhookEvent.enum = [...subscribableTypes, '*'];

const description = Object.entries(await read('run-description.json'));
const fieldsOf = (part) => Object.fromEntries(description.map(([name, field]) => [name, field[part]]));
for (const name of ['CreateRun', 'UpdateRun', 'SubmitRun']) {
  const schema = await schemaOf(`requests/${name}.json`);
  schema.properties = inOrder(Object.keys(schema.properties), { ...schema.properties, ...fieldsOf('sent') });
}
for (const name of ['RunRecord', 'TestRun']) {
  const schema = await schemaOf(`responses/${name}.json`);
  const optional = Object.keys(schema.properties).filter((one) => !schema.required.includes(one));
  schema.properties = inOrder([...schema.required, ...optional], {
    ...schema.properties,
    ...fieldsOf('answered'),
  });
  schema.examples = schema.examples.map((one) =>
    inOrder(schema.required, { ...fieldsOf('example'), ...one }),
  );
  schema.required = Object.keys(schema.properties).filter((one) => !optional.includes(one));
}

for (const [file, schema] of schemas)
  await writeFile(new URL(file, here), `${JSON.stringify(schema, null, 2)}\n`);

/** The fields with these names, and each new field of the description after the one before it. */
function inOrder(names, fields) {
  const all = description.reduce((known, [name], n) => {
    const after = known.indexOf(description[n - 1]?.[0]) + 1;
    return known.includes(name) ? known : known.toSpliced(after, 0, name);
  }, names);
  return Object.fromEntries(all.map((name) => [name, fields[name]]));
}
