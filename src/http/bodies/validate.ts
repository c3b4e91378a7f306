/** Checks what a request says against its schema in `schemas/requests/`. */
import { isUtf8 } from 'node:buffer';
import type { Context } from 'koa';
import { invalid, invalidFields } from '../../errors.js';
import { loadSchemas, resolved, type Check, type Schema } from '../../validation/schemas.js';
import { fieldErrorsOf } from '../problems/field-errors.js';
import type { Requests } from '../requests.generated.js';

export type QueryFields = Readonly<Record<string, string | number | undefined>>;

/** A query as it was sent, and its parameters. */
export type SentQuery = Pick<Context, 'querystring' | 'query'>;

export type Validate = {
  /** @throws AppError `validation_failed`, naming each wrong field. */
  body(name: keyof Requests | undefined, value: unknown): unknown;
  query(name: keyof Requests | undefined, sent: SentQuery): QueryFields;
};

export function loadValidation(): Validate {
  const schemas = new Map(
    [...loadSchemas('requests')].map(([name, { check, schema }]) => [
      name,
      { check, integers: integersOf(schema), takesNothing: takesNothing(check) },
    ]),
  );
  const named = (name: keyof Requests = 'Nothing') => {
    const found = schemas.get(name);
    if (found === undefined) throw new Error(`there is no schemas/requests/${name}.json`);
    return found;
  };
  return {
    body(name, value) {
      const faults = named(name).check(value);
      if (faults.length > 0) invalidFields(fieldErrorsOf(faults, 'body'));
      return value;
    },
    query(name, sent) {
      // Without a query there is nothing to refuse, and only lists have defaults to fill in.
      if (sent.querystring === '' && (name === undefined || named(name).takesNothing)) return nothing;
      // The parser replaces other bytes with U+FFFD: the request would filter by a text that the client did not send.
      if (!isUtf8Query(sent.querystring)) invalid('?', 'not_utf8', 'must be UTF-8, percent-encoded');
      const { check, integers } = named(name);
      const query = fromText(sent.query, integers);
      const faults = check(query);
      if (faults.length > 0) invalidFields(fieldErrorsOf(faults, 'query'));
      return query;
    },
  };
}

const nothing: QueryFields = {};

/** True for a schema that an empty query passes, and that fills nothing in. */
function takesNothing(check: Check): boolean {
  const query = {};
  return check(query).length === 0 && Object.keys(query).length === 0;
}

/** The fields of a schema that hold whole numbers: a query string has them as text. */
function integersOf(schema: Schema): ReadonlySet<string> {
  const isInteger = ([, field]: [string, Schema['properties'][string]]) => resolved(field).type === 'integer';
  return new Set(
    Object.entries(schema.properties)
      .filter(isInteger)
      .map(([name]) => name),
  );
}

/** In a query string `"20"` is the number 20 where the field holds a number. */
function fromText(query: Context['query'], integers: ReadonlySet<string>): QueryFields {
  // Without a prototype: a parameter named __proto__ is unknown like any other.
  const read = Object.create(null) as Record<string, string | number | undefined>;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) invalid(`?${name}`, 'twice', 'is a duplicate');
    read[name] = integers.has(name) ? toNumber(value) : value;
  }
  return read;
}

function isUtf8Query(querystring: string): boolean {
  const escaped = querystring.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  const decoded = escaped.map((each) => Buffer.from(each.replaceAll('%', ''), 'hex'));
  return /^[\x20-\x7e]*$/.test(querystring) && decoded.every(isUtf8);
}

function toNumber(text: string | undefined): string | number | undefined {
  return text !== undefined && /^-?\d{1,30}$/.test(text) ? Number(text) : text;
}
