// Writes docs/openapi.json and docs/asyncapi.json, as a server answers them, and the types of the paths and of the
// requests. Part of `npm run generate`; needs a build.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compile } from 'json-schema-to-typescript';
import { pino } from 'pino';
import { readConfig } from '../dist/src/config.js';
import { startProgram } from '../dist/src/main.js';

const root = new URL('../', import.meta.url);

/** No value at all. */
const NEVER = { tsType: 'never' };

const STYLE = { singleQuote: true, printWidth: 110 };

const [openApi, asyncApi] = await documentsOfServer('/openapi.json', '/asyncapi.json');

/** Parts of many operations: with a name, each is written once. */
const shared = {
  RefusedPlainly: contentOf({
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  }),
  WithoutContent: objectOf({ content: NEVER }, []),
  PathWithId: objectOf({ id: { type: 'string' } }),
  PageOfList: objectOf(
    {
      page: { $ref: '#/components/schemas/PageNumber' },
      per_page: { $ref: '#/components/schemas/PageSize' },
    },
    [],
  ),
  ...mapValues(openApi.components.parameters, ({ name, schema }) => objectOf({ [name]: schema }, [])),
};

await write('docs/openapi.json', `${JSON.stringify(openApi, null, 2)}\n`);
await write('docs/asyncapi.json', `${JSON.stringify(asyncApi, null, 2)}\n`);
await write('src/client/api.generated.ts', await typesOf(openApi, asyncApi));
await write('src/http/requests.generated.ts', await typesOfRequests(openApi));

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
  const schemas = mapValues({ ...ofMessages, ...components.schemas, ...shared }, (schema, title) => ({
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
    style: STYLE,
  });
  // openapi-fetch looks statuses up as numbers.
  const numbered = text.replaceAll(/^( +)'(\d{3})':/gm, '$1$2:');
  const json =
    "/** The content of a request or an answer. */\nexport type Json<T> = { content: { 'application/json': T } };";
  return `${numbered}\n${json}\nexport type paths = Paths;\nexport type components = Components;\n`;
}

/** The types of all requests, by the name of their schema. Those of bodies are in the document. */
async function typesOfRequests({ components }) {
  const folder = new URL('schemas/requests/', root);
  const names = (await readdir(folder)).sort().map((file) => file.replace('.json', ''));
  const bodies = names.filter((name) => name in components.schemas);
  const types = names.map((name) => [
    name,
    bodies.includes(name) ? { tsType: name } : { $ref: `./${name}.json` },
  ]);
  return compile({ title: 'Requests', ...objectOf(Object.fromEntries(types)) }, 'Requests', {
    cwd: folder.pathname,
    bannerComment: `/* Made from schemas/requests/ by \`npm run generate\`. Do not edit. */
import type { ${bodies.join(', ')} } from '../client/api.generated.js';`,
    style: STYLE,
  });
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
        named(
          objectOf(
            Object.fromEntries(all.map(({ name, schema }) => [name, plain(schema)])),
            requires(all).map(({ name }) => name),
          ),
        ),
      ]),
    ),
    places.filter(([, all]) => requires(all).length > 0).map(([place]) => place),
  );
  const responses = {};
  for (const [status, given] of Object.entries(operation.responses)) {
    const response = resolved(given);
    const name = Number(status) >= 400 ? 'default' : status;
    responses[name] = named(
      response.content === undefined ? shared.WithoutContent : contentOf(response.content),
    );
  }
  const parts = {
    parameters: parameterTypes,
    ...(operation.requestBody && { requestBody: contentOf(operation.requestBody.content) }),
    responses: objectOf(responses),
  };
  const needed = Object.keys(parts).filter(
    (name) => name !== 'requestBody' || operation.requestBody.required,
  );
  return { description: operation.summary, ...objectOf(parts, needed) };
}

/** The schema by its name, if it is one of those that operations share. */
function named(schema) {
  const name = Object.keys(shared).find((one) => isDeepStrictEqual(shared[one], schema));
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}` };
}

function contentOf({ 'application/json': json, ...others }) {
  const text = json !== undefined && Object.keys(others).length === 0 ? textOf(json.schema) : null;
  if (text !== null) return { tsType: `Json<${text}>` };
  const content = { ...(json && { 'application/json': json }), ...others };
  return objectOf({ content: objectOf(mapValues(content, ({ schema }) => schema)) });
}

/** The schema as a type, if it consists of names; null else. */
function textOf({ $ref, type, items, properties = {}, required = [], additionalProperties }) {
  if ($ref !== undefined) return $ref.split('/').at(-1);
  if (type === 'array') return textOf(items) && `${textOf(items)}[]`;
  const texts = Object.entries(properties).map(([name, of]) => [name, textOf(of)]);
  const isPlain = type === 'object' && additionalProperties === false && required.length === texts.length;
  if (!isPlain || texts.some(([, text]) => text === null)) return null;
  return `{ ${texts.map(([name, text]) => `${name}: ${text}`).join('; ')} }`;
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
