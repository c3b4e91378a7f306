/** What an operation takes: parameters of the path, the query and the headers, and a body. */
import { readSchema, type Schema, type SchemaField } from '../../validation/schemas.js';
import type { Route } from '../route.js';
import { publicSchema, refTo, type JsonSchema } from './schemas.js';

/** `routes`: several where a query parameter selects one of them. */
export function parametersOf(path: string, routes: readonly Route[]): JsonSchema[] {
  const { method } = routes[0]!;
  return [...pathParameters(path), ...queryParameters(routes), ...headerParameters(method, path)];
}

export function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(routes: readonly Route[]): JsonSchema[] {
  const found = new Map<string, JsonSchema>();
  for (const { query, withQuery } of routes) {
    if (query === undefined) continue;
    const { properties, required } = requestSchema(query);
    const needed = (name: string) => name === withQuery || required.includes(name);
    for (const [name, field] of Object.entries(properties)) {
      // Required only where no other route of the group does without it.
      found.set(name, queryParameter(name, field, routes.length === 1 && needed(name)));
    }
  }
  return [...found.values()];
}

function queryParameter(name: string, field: SchemaField, required: boolean): JsonSchema {
  return { name, in: 'query', required, schema: publicSchema(field) };
}

function headerParameters(method: Route['method'], path: string): JsonSchema[] {
  const names = [
    ...(method === 'POST' ? ['IdempotencyKey'] : []),
    ...(method === 'GET' ? ['IfNoneMatch'] : []),
    ...(path === '/v1/events' ? ['LastEventId'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export function requestBodyOf(routes: readonly Pick<Route, 'body'>[]): { requestBody?: JsonSchema } {
  const bodies = routes.flatMap(({ body }) => body ?? []);
  if (bodies.length === 0) return {};
  const refs = bodies.map(refTo);
  const schema = refs.length === 1 ? refs[0] : { anyOf: refs };
  // An empty body is `{}`, which is a valid body of some.
  const required = bodies.every((name) => requestSchema(name).required.length > 0);
  return { requestBody: { required, content: { 'application/json': { schema } } } };
}

function requestSchema(name: string): { properties: Schema['properties']; required: readonly string[] } {
  const { properties, required = [] } = readSchema(`requests/${name}.json`);
  return { properties, required: required as string[] };
}
