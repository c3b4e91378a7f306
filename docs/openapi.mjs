// Writes docs/openapi.json and docs/asyncapi.json, as a server answers them, and the types of the paths. Part of
// `npm run generate`; needs a build.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { pino } from 'pino';
import { readConfig } from '../dist/src/config.js';
import { startProgram } from '../dist/src/main.js';

const root = new URL('../', import.meta.url);

/** No value at all. */
const NEVER = { tsType: 'never' };

const [openApi, asyncApi] = await documentsOfServer('/openapi.json', '/asyncapi.json');
await write('docs/openapi.json', `${JSON.stringify(openApi, null, 2)}\n`);
await write('docs/asyncapi.json', `${JSON.stringify(asyncApi, null, 2)}\n`);
await write('src/client/api.generated.ts', await typesOf(openApi, asyncApi));

async function documentsOfServer(...paths) {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-openapi-'));
  const program = await startProgram(
    readConfig({ PORT: '0', DATA_DIR: folder, BLOBS_URL: `file:${folder}` }),
    pino({ level: 'error' }),
  );
  try {
    return await Promise.all(paths.map((path) => documentAt(program.url + path)));
  } finally {
    await program.stop();
    await rm(folder, { recursive: true });
  }
}

async function documentAt(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`GET ${url} answered ${answer.status}`);
  return answer.json();
}

/** The types `paths` and `components`, in the form that openapi-fetch takes, and the bodies of webhooks. */
async function typesOf({ paths, components }, { channels, components: { schemas: ofMessages } }) {
  const schemas = mapValues({ ...ofMessages, ...components.schemas }, (schema, title) => ({
    ...schema,
    title,
  }));
  const refTo = (_, name) => ({ $ref: `#/components/schemas/${name}` });
  const bodies = Object.values(mapValues(channels.webhook.messages, refTo));
  const operations = mapValues(paths, (methods) =>
    objectOf(mapValues(methods, (operation) => typeOfOperation(operation, components))),
  );
  const all = {
    title: 'Api',
    ...objectOf({
      paths: { title: 'Paths', ...objectOf(operations) },
      components: {
        title: 'Components',
        ...objectOf({ schemas: objectOf(mapValues(components.schemas, refTo)) }),
      },
      webhook_body: { title: 'WebhookBody', anyOf: bodies },
    }),
    components: { schemas },
  };
  const text = await compile(all, 'Api', {
    bannerComment: '/* Made from docs/openapi.json by `npm run generate`. Do not edit. */',
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 110 },
  });
  // openapi-fetch looks statuses up as numbers.
  const numbered = text.replaceAll(/^( +)'(\d{3})':/gm, '$1$2:');
  return `${numbered}\nexport type paths = Paths;\nexport type components = Components;\n`;
}

function typeOfOperation(operation, components) {
  const resolved = ({ $ref, ...rest }) =>
    $ref === undefined
      ? rest
      : $ref
          .slice(2)
          .split('/')
          .slice(1)
          .reduce((value, name) => value[name], components);
  const parameters = operation.parameters.map(resolved);
  const places = [...new Set(parameters.map((one) => one.in))].map((place) => [
    place,
    parameters.filter((one) => one.in === place),
  ]);
  const requires = (all) => all.filter(({ required }) => required === true);
  // The name of a component says it all; with a default beside it, it would become a type of its own.
  const plain = ({ $ref, ...rest }) => ($ref === undefined ? rest : { $ref });
  const parameterTypes = objectOf(
    Object.fromEntries(
      places.map(([place, all]) => [
        place,
        objectOf(
          Object.fromEntries(all.map(({ name, schema }) => [name, plain(schema)])),
          requires(all).map(({ name }) => name),
        ),
      ]),
    ),
    places.filter(([, all]) => requires(all).length > 0).map(([place]) => place),
  );
  const content = (body) => objectOf({ content: objectOf(mapValues(body.content, ({ schema }) => schema)) });
  const responses = {};
  for (const [status, given] of Object.entries(operation.responses)) {
    const response = resolved(given);
    const name = Number(status) >= 400 ? 'default' : status;
    responses[name] = response.content === undefined ? objectOf({ content: NEVER }, []) : content(response);
  }
  const parts = {
    parameters: parameterTypes,
    ...(operation.requestBody && { requestBody: content(operation.requestBody) }),
    responses: objectOf(responses),
  };
  const needed = Object.keys(parts).filter(
    (name) => name !== 'requestBody' || operation.requestBody.required,
  );
  return { description: operation.summary, ...objectOf(parts, needed) };
}

function objectOf(properties, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

function write(path, text) {
  return writeFile(new URL(path, root), text);
}
