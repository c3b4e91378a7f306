/** The JSON Schemas of `schemas/`, compiled: requests and events are checked against the published contract itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { normaliseInstant } from '../domain/instant.js';
import { isMediaType } from './media-type.js';
import { isText, jsonFault, type JsonLimits } from './json-limits.js';

const root = new URL('../../../schemas/', import.meta.url);

/** Returns the faults of a value; none where it is valid. */
export type Check = (value: unknown) => readonly ErrorObject[];

export type Schema = {
  properties: Record<string, SchemaField>;
  [keyword: string]: unknown;
};

export type SchemaField = { type?: string; $ref?: string; [keyword: string]: unknown };

/**
 * Compiles the schemas of one folder, or only those that are named. Returns each schema with its check, by its name
 * (`CreateRun`, `RunCreated.v1`).
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
    validate: withinJsonLimits,
    errors: true,
  });
  ajv.addSchema(common);
  const loaded = new Map<string, { check: Check; schema: Schema }>();
  for (const name of schemaNames(folder)) {
    if (names !== undefined && !names.includes(name)) continue;
    // In the order of their names, so that a schema can refer to those before it.
    const schema = readSchema(`${folder}/${name}.json`);
    loaded.set(name, { check: checkWith(ajv.compile(schema)), schema });
  }
  return loaded;
}

/** The names of a folder's schemas, in order. */
export function schemaNames(folder: 'events' | 'requests'): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

/** Reads one of the files by its path below `schemas/`. */
export function readSchema(path: string): Schema {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Schema;
}

const common = readSchema('common.json');
const COMMON_REF = '../common.json#/$defs/';

/** A field with the keywords of the shared definition that it refers to, if it refers to one. */
export function resolved(field: SchemaField): SchemaField {
  if (field.$ref?.startsWith(COMMON_REF) !== true) return field;
  const definitions = common['$defs'] as Record<string, SchemaField>;
  return { ...definitions[field.$ref.slice(COMMON_REF.length)], ...field };
}

function checkWith(validate: ValidateFunction): Check {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

/** The keyword `x-json`: the message of its error names the fault. */
const withinJsonLimits: {
  (limits: JsonLimits, value: unknown): boolean;
  errors?: Partial<ErrorObject>[];
} = (limits, value) => {
  const fault = jsonFault(value, limits);
  withinJsonLimits.errors = fault === null ? [] : [{ keyword: 'x-json', message: fault, params: {} }];
  return fault === null;
};
