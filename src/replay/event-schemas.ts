/** The schemas of events as they are served. Each one is complete: a reader who fetches one needs no other. */
import { hiddenFields } from './cloud-event.js';
import { readSchema, schemaNames, type Schema } from '../validation/schemas.js';

export type EventSchemas = {
  /** In order. */
  index: readonly { name: string; type: string; version: number }[];
  /** By name, such as `RunCreated.v1`. */
  get(name: string): Schema | undefined;
  /** Whether the log may hold events of this type. */
  hasType(type: string): boolean;
};

export function loadEventSchemas(): EventSchemas {
  const common = readSchema('common.json')['$defs'] as Readonly<Record<string, unknown>>;
  const schemas = new Map(
    schemaNames('events').map((name) => [
      name,
      bundled(withoutHiddenFields(readSchema(`events/${name}.json`)), common),
    ]),
  );
  const index = [...schemas.keys()].map((name) => {
    const [type = '', version] = name.split('.v');
    return { name, type, version: Number(version) };
  });
  const types = new Set(index.map(({ type }) => type));
  return { index, get: (name) => schemas.get(name), hasType: (type) => types.has(type) };
}

/** The replay leaves some stored fields out of its answers, so the served schema does not have them either. */
function withoutHiddenFields(schema: Schema): Schema {
  const hidden = hiddenFields[String(schema['title'])] ?? [];
  if (hidden.length === 0) return schema;
  const properties = Object.entries(schema.properties).filter(([name]) => !hidden.includes(name));
  const required = (schema['required'] as readonly string[]).filter((name) => !hidden.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

const DEFINITION = /^(?:\.\.\/common\.json)?#\/\$defs\/(.+)$/;

/** Copies in the definitions that the schema refers to in another file, and those that these refer to. */
function bundled(schema: Schema, common: Readonly<Record<string, unknown>>): Schema {
  const used: Record<string, unknown> = {};
  const local = (part: unknown): unknown =>
    JSON.parse(
      JSON.stringify(part, (key, value: unknown) => {
        const name = key === '$ref' ? DEFINITION.exec(String(value))?.[1] : undefined;
        if (name === undefined) return value;
        // Once each: a definition may lead back to itself.
        if (!(name in used)) {
          used[name] = true;
          used[name] = local(common[name]);
        }
        return `#/$defs/${name}`;
      }),
    );
  const whole = local(schema) as Schema;
  return Object.keys(used).length === 0 ? whole : { ...whole, $defs: used };
}
