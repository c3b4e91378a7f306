/** The answers of an operation: those of success with their bodies, and one for each status of its errors. */
import { errors, type ErrorCode } from '../../errors.js';
import type { Surface } from '../problems/reply.js';
import { headersOfError } from './headers.js';
import type { Answer, Operation } from './operation.js';
import { refTo, type JsonSchema } from './schemas.js';

type Described = {
  /** Several where a query parameter selects one of them. */
  answers: readonly Operation['answers'][];
  codes: readonly ErrorCode[];
  surface: Surface;
  /** The names of the headers of a status, among `responseHeaders`. */
  headersOf: (status: number) => readonly string[];
};

export function responsesOf({ answers, codes, surface, headersOf }: Described): JsonSchema {
  const responses: Record<string, JsonSchema> = {};
  for (const [status, given] of byStatus(answers)) {
    responses[status] = {
      description: successes[status] ?? 'Success',
      headers: refsTo(headersOf(status)),
      ...contentOf(given),
    };
  }
  for (const code of codes) {
    const { status } = errors[code];
    responses[status] = { $ref: `#/components/responses/${errorName(surface, status)}` };
  }
  return responses;
}

/** The answers with an error, which operations share. */
export function errorResponses(): JsonSchema {
  const responses: Record<string, JsonSchema> = {};
  const all = Object.values(errors).filter(({ internal }) => internal !== true);
  for (const status of new Set(all.map((one) => one.status))) {
    for (const surface of ['a', 'b'] as const) {
      responses[errorName(surface, status)] = {
        description: titlesOf(status),
        headers: refsTo(headersOfError(status)),
        content: errorContent[surface],
      };
    }
  }
  return responses;
}

function titlesOf(status: number): string {
  const codes = Object.entries(errors).filter(([, one]) => one.status === status && one.internal !== true);
  return codes.map(([code, { title }]) => `\`${code}\`: ${title}`).join('. ');
}

function errorName(surface: Surface, status: number): string {
  return `${surface === 'a' ? 'Problem' : 'Error'}${status}`;
}

const successes: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; there is no body',
  206: 'The part of the file that the Range header asks for',
  304: 'Not modified since the answer with this ETag',
};

const errorContent: Record<Surface, JsonSchema> = {
  a: { 'application/problem+json': { schema: refTo('Problem') } },
  b: { 'application/json': { schema: refTo('ErrorAnswer') } },
};

function byStatus(answers: Described['answers']): Map<number, Answer[]> {
  const found = new Map<number, Answer[]>();
  for (const [status, answer] of answers.flatMap((each) => Object.entries(each))) {
    found.set(Number(status), [...(found.get(Number(status)) ?? []), answer]);
  }
  return found;
}

function contentOf(answers: readonly Answer[]): { content?: JsonSchema } {
  const bodies = answers.flatMap((answer) => (answer === null ? [] : bodiesOf(answer)));
  if (bodies.length === 0) return {};
  const content: Record<string, JsonSchema> = {};
  for (const [type, schema] of bodies) {
    const other = content[type]?.['schema'] as JsonSchema | undefined;
    const same = other !== undefined && JSON.stringify(other) === JSON.stringify(schema);
    content[type] = { schema: other === undefined || same ? schema : { anyOf: [other, schema] } };
  }
  return { content };
}

/** The schemas of the body by media type. */
function bodiesOf(answer: NonNullable<Answer>): [string, JsonSchema][] {
  if (typeof answer === 'string') return [[JSON_TYPE, refTo(answer)]];
  if ('data' in answer) return [[JSON_TYPE, objectOf({ data: refTo(answer.data) })]];
  if ('list' in answer) return [[JSON_TYPE, objectOf({ data: listOf(answer.list) })]];
  if ('page' in answer) {
    return [[JSON_TYPE, objectOf({ data: listOf(answer.page), pagination: refTo('Pagination') })]];
  }
  if ('items' in answer) return [[JSON_TYPE, objectOf({ items: listOf(answer.items) })]];
  if ('itemsByToken' in answer) {
    const page_token = { type: ['string', 'null'], description: 'Null exactly when nothing follows' };
    return [[JSON_TYPE, objectOf({ items: listOf(answer.itemsByToken), page_token })]];
  }
  if ('pageOrStream' in answer) {
    const stream = { type: 'string', description: `Each is an \`${answer.of}\`` };
    return [
      [JSON_TYPE, refTo(answer.pageOrStream)],
      ...answer.streams.map((type): [string, JsonSchema] => [type, stream]),
    ];
  }
  const schema = { type: answer.json === true ? 'object' : 'string' };
  return answer.media.map((type) => [type, schema]);
}

const JSON_TYPE = 'application/json';

function listOf(name: string): JsonSchema {
  return { type: 'array', items: refTo(name) };
}

function objectOf(properties: JsonSchema): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function refsTo(headers: readonly string[]): JsonSchema {
  return Object.fromEntries(
    headers.map((name) => [name.replace(/\..*$/, ''), { $ref: `#/components/headers/${name}` }]),
  );
}
