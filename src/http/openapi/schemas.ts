/**
 * The files of `schemas/` as components of an API document: plain JSON Schema 2020-12, without our own formats and
 * keywords.
 */
import { basename } from 'node:path/posix';
import { readSchema, schemaNames, type SchemaFolder } from '../../validation/schemas.js';

export type JsonSchema = { [keyword: string]: unknown };

export type Components = Readonly<Record<string, JsonSchema>>;

/** The shared definitions, the bodies of requests and the records of answers, by name. */
export function apiSchemas(): Components {
  const bodies = schemaNames('requests').filter((name) => !name.endsWith('Query'));
  return { ...sharedDefinitions(), ...componentsOf('requests', bodies), ...componentsOf('responses') };
}

/** The schemas of a folder, or those that are named. */
export function componentsOf(folder: SchemaFolder, names = schemaNames(folder)): Components {
  return Object.fromEntries(
    names.map((name) => [name, publicSchema(readSchema(`${folder}/${name}.json`)) as JsonSchema]),
  );
}

function sharedDefinitions(): Components {
  const definitions = Object.entries(readSchema('common.json')['$defs'] as Components);
  return Object.fromEntries(
    definitions.map(([name, schema]) => [componentName(name), publicSchema(schema) as JsonSchema]),
  );
}

/** Those of the components that a document needs, in the order of their names. */
export function usedIn(document: unknown, components: Components): Components {
  const used = new Map<string, JsonSchema>();
  const follow = (value: unknown) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = components[name!];
      if (schema === undefined) throw new Error(`there is no schema ${name}`);
      if (used.has(name!)) continue;
      used.set(name!, schema);
      follow(schema);
    }
  };
  follow(document);
  return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `common.json#/$defs/runStatus` is the component `RunStatus`. */
function componentName(definition: string): string {
  return definition.charAt(0).toUpperCase() + definition.slice(1);
}

/** A schema of ours, or a part of one, in words that every reader of an API document knows. */
export function publicSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(publicSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      switch (keyword) {
        case '$schema':
        case '$id':
        case '$defs':
        case 'x-json':
          return [];
        case '$ref':
          return [['$ref', publicRef(String(value))]];
        case 'format':
          return value === 'instant' ? [['format', 'date-time']] : [];
        // A field may have the name of a keyword.
        case 'properties':
          return [[keyword, mapValues(value, publicSchema)]];
        // A value, not a schema.
        case 'examples':
        case 'const':
        case 'enum':
        case 'default':
          return [[keyword, value]];
        default:
          return [[keyword, publicSchema(value)]];
      }
    }),
  );
}

function mapValues(map: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

/** `../common.json#/$defs/name` and `#/$defs/name` are definitions, `SubmitItem.json` and
 * `../responses/Counts.json` are files. */
function publicRef(ref: string): string {
  const [file, definition] = ref.split('#/$defs/');
  const name = definition === undefined ? basename(file!, '.json') : componentName(definition);
  return String(refTo(name)['$ref']);
}
