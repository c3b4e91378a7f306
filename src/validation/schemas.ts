/** The JSON Schemas of `schemas/`, compiled: the public contract is what is checked. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { normaliseInstant } from '../domain/instant.js';
import { isMediaType } from './media-type.js';
import { isText, jsonFault, type JsonLimits } from './json-limits.js';

const root = new URL('../../../schemas/', import.meta.url);

export type Check = (value: unknown) => readonly ErrorObject[];

/**
 * Compiles the schemas of one folder, all of them or those that are named. Answers a check by name (`CreateRun`,
 * `RunCreated.v1`), which gives what is wrong, and the schema itself.
 */
export function loadSchemas(
  folder: 'events' | 'requests',
  names?: readonly string[],
): Map<string, { check: Check; schema: Schema }> {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: folder === 'requests', strict: true });
  ajv.addFormat('instant', { type: 'string', validate: (text) => normaliseInstant(text) !== null });
  ajv.addFormat('mediaType', { type: 'string', validate: isMediaType });
  ajv.addFormat('text', { type: 'string', validate: isText });
  ajv.addKeyword({
    keyword: 'x-json',
    type: 'object',
    schemaType: 'object',
    validate: limited,
    errors: true,
  });
  ajv.addSchema(readSchema('common.json'));
  const loaded = new Map<string, { check: Check; schema: Schema }>();
  for (const name of schemaNames(folder)) {
    if (names !== undefined && !names.includes(name)) continue;
    // In this order one may refer to those before it.
    const schema = readSchema(`${folder}/${name}.json`);
    loaded.set(name, { check: checkWith(ajv.compile(schema)), schema });
  }
  return loaded;
}

export type Schema = {
  properties: Record<string, { type?: string; $ref?: string }>;
  [keyword: string]: unknown;
};

/** The names of a folder's schemas, in order. */
export function schemaNames(folder: 'events' | 'requests'): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

/** One of the files, by its path below `schemas/`. */
export function readSchema(path: string): Schema {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Schema;
}

function checkWith(validate: ValidateFunction): Check {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

/** The keyword `x-json`: the fault is told in the error's message. */
const limited: {
  (limits: JsonLimits, value: unknown): boolean;
  errors?: Partial<ErrorObject>[];
} = (limits, value) => {
  const fault = jsonFault(value, limits);
  limited.errors = fault === null ? [] : [{ keyword: 'x-json', message: fault, params: {} }];
  return fault === null;
};
