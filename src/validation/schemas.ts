/** The JSON Schemas of `schemas/` with their validators: requests and events are checked against the published contract itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { packageFolder } from '../folders.js';
import { rules, type Rules } from './rules.js';

const root = new URL('schemas/', packageFolder);

export type SchemaFolder = 'events' | 'messages' | 'requests' | 'responses';

/** Returns the faults of a value; none where it is valid. */
export type Check = (value: unknown) => readonly ErrorObject[];

export type Schema = {
  properties: Record<string, SchemaField>;
  [keyword: string]: unknown;
};

export type SchemaField = { type?: string; $ref?: string; [keyword: string]: unknown };

/**
 * Loads the schemas of one folder, or only those that are named. Returns each schema with its check, by its name
 * (`CreateRun`, `RunCreated.v1`). @throws Error when the build has not generated the validators.
 */
export function loadSchemas(
  folder: SchemaFolder,
  names?: readonly string[],
): Map<string, { check: Check; schema: Schema }> {
  const validators = loadValidators(folder);
  const loaded = new Map<string, { check: Check; schema: Schema }>();
  for (const name of names ?? schemaNames(folder)) {
    const validate = validators[name];
    if (validate === undefined) throw new Error(`${folder}/${name} has no validator: run npm run build`);
    loaded.set(name, { check: checkWith(validate), schema: readSchema(`${folder}/${name}.json`) });
  }
  return loaded;
}

/** Loads a module that the build generates (`compile.ts`). */
function loadValidators(folder: SchemaFolder): Readonly<Record<string, ValidateFunction>> {
  let generated: (use: Rules) => Record<string, ValidateFunction>;
  try {
    generated = createRequire(packageFolder)(`./dist/validators/${folder}.cjs`) as typeof generated;
  } catch (cause) {
    throw new Error(`the validators of schemas/${folder} are missing: run npm run build`, { cause });
  }
  return generated(rules);
}

/** The names of a folder's schemas, in order. */
export function schemaNames(folder: SchemaFolder): string[] {
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
