/** What a request says, checked against its schema in `schemas/requests/`. */
import { isUtf8 } from 'node:buffer';
import type { Context } from 'koa';
import { loadSchemas, type Schema } from '../validation/schemas.js';
import { fail, invalid, type FieldError } from '../errors.js';
import { fieldErrors } from './problem.js';
import type { Requests } from './requests.generated.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

export type Validate = {
  /** @throws LedgerError `validation_failed`, naming each field. */
  body(name: keyof Requests | undefined, value: unknown): unknown;
  query(name: keyof Requests | undefined, ctx: Context): Query;
};

export function loadValidation(): Validate {
  const schemas = loadSchemas('requests');
  const named = (name: keyof Requests = 'Nothing') => {
    const found = schemas.get(name);
    if (found === undefined) throw new Error(`there is no schemas/requests/${name}.json`);
    return found;
  };
  return {
    body(name, value) {
      const faults = named(name).check(value);
      if (faults.length > 0) refuse(fieldErrors(faults, 'body'));
      return value;
    },
    query(name, ctx) {
      // Without a query there is nothing to refuse, and only lists have defaults to fill in.
      if (name === undefined && ctx.querystring === '') return nothing;
      // The parser puts U+FFFD for what is none, and a filter would be by something that nobody asked for.
      if (!isText(ctx.querystring)) invalid('?', 'not_utf8', 'must be UTF-8, percent-encoded');
      const { check, schema } = named(name);
      const query = fromText(ctx.query, schema);
      const faults = check(query);
      if (faults.length > 0) refuse(fieldErrors(faults, 'query'));
      return query;
    },
  };
}

const nothing: Query = {};

/** In a query string `"20"` is the number 20, where a number belongs. */
function fromText(query: Context['query'], schema: Schema): Query {
  // Without a prototype, so that a parameter named __proto__ is one like any other: unknown.
  const read = Object.create(null) as Record<string, string | number | undefined>;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) invalid(`?${name}`, 'twice', 'is there twice');
    read[name] = integers.has(String(schema.properties[name]?.$ref)) ? toNumber(value) : value;
  }
  return read;
}

function isText(querystring: string): boolean {
  const escaped = querystring.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  const decoded = escaped.map((each) => Buffer.from(each.replaceAll('%', ''), 'hex'));
  return /^[\x20-\x7e]*$/.test(querystring) && decoded.every(isUtf8);
}

const integers = new Set(
  ['pageSize', 'pageNumber', 'eventCount'].map((name) => `../common.json#/$defs/${name}`),
);

function toNumber(text: string | undefined): string | number | undefined {
  return text !== undefined && /^-?\d{1,30}$/.test(text) ? Number(text) : text;
}

function refuse(fields: readonly FieldError[]): never {
  const detail = fields.map(({ pointer, detail }) => `${pointer || 'the body'} ${detail}`).join('; ');
  return fail('validation_failed', detail.slice(0, 1_000), { fields });
}
