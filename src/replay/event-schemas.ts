/** The schemas of events as they are served: each whole in itself, so that whoever fetches one needs no other. */
import { unshown } from './cloud-event.js';
import { readSchema, schemaNames, type Schema } from '../validation/schemas.js';

export type EventSchemas = {
  /** In order. */
  index: readonly { name: string; type: string; version: number }[];
  /** By name, `RunCreated.v1`. */
  get(name: string): Schema | undefined;
  /** Whether events of this type may lie in the log. */
  hasType(type: string): boolean;
};

export function loadEventSchemas(): EventSchemas {
  const common = readSchema('common.json')['$defs'] as Readonly<Record<string, unknown>>;
  const schemas = new Map(
    schemaNames('events').map((name) => [name, bundled(asShown(readSchema(`events/${name}.json`)), common)]),
  );
  const index = [...schemas.keys()].map((name) => {
    const [type = '', version] = name.split('.v');
    return { name, type, version: Number(version) };
  });
  const types = new Set(index.map(({ type }) => type));
  return { index, get: (name) => schemas.get(name), hasType: (type) => types.has(type) };
}

/** Of what the replay gives, which is not all that lies in the log. */
function asShown(schema: Schema): Schema {
  const names = unshown[String(schema['title'])] ?? [];
  if (names.length === 0) return schema;
  const properties = Object.entries(schema.properties).filter(([name]) => !names.includes(name));
  const required = (schema['required'] as readonly string[]).filter((name) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

const COMMON = '../common.json#/$defs/';

/** With the definitions that it refers to, in place of references to another file. Those refer to no further ones. */
function bundled(schema: Schema, common: Readonly<Record<string, unknown>>): Schema {
  const used: Record<string, unknown> = {};
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(COMMON)) return value;
    const name = value.slice(COMMON.length);
    used[name] = common[name];
    return `#/$defs/${name}`;
  });
  const whole = JSON.parse(text) as Schema;
  return Object.keys(used).length === 0 ? whole : { ...whole, $defs: used };
}
