/** The faults of a JSON Schema check as field errors: each with its pointer, its code and a sentence. */
import type { ErrorObject } from 'ajv';
import type { FieldCode, FieldError } from '../../errors.js';
import { limits } from '../../limits.js';

/** The faults that ajv found, up to the number that an answer names. */
export function fieldErrorsOf(found: readonly ErrorObject[], where: 'body' | 'query'): FieldError[] {
  return ofOneBranch(found.slice(0, limits.namedFaults)).flatMap((fault) => {
    const worded = wordingOf(fault);
    if (worded === null) return [];
    const { code, detail, name } = worded;
    const path = fault.instancePath + (name === undefined ? '' : `/${escaped(name)}`);
    return [{ pointer: where === 'query' ? `?${path.slice(1)}` : path, code, detail }];
  });
}

/**
 * A value that may be of several types fails in each branch. A branch of its own type says what is wrong with it, and the others
 * say nothing; where it is of none, one fault names all types.
 */
function ofOneBranch(found: readonly ErrorObject[]): ErrorObject[] {
  const places = new Set(
    found.filter(({ keyword }) => keyword === 'anyOf').map((fault) => fault.instancePath),
  );
  return found.flatMap((fault) => {
    if (fault.keyword !== 'type' || !places.has(fault.instancePath)) return [fault];
    const beside = found.filter(({ instancePath }) => instancePath === fault.instancePath);
    if (beside.some(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf')) return [];
    const ofType = beside.filter(({ keyword }) => keyword === 'type');
    return fault === ofType[0] ? [{ ...fault, params: { type: ofType.flatMap(typesIn) } }] : [];
  });
}

function typesIn({ params }: ErrorObject): string[] {
  const { type } = params as { type: string | string[] };
  return typeof type === 'string' ? type.split(',') : type;
}

type Wording = {
  code: FieldCode;
  detail: string;
  /** The name of the field, for a fault of the object around it. */
  name?: string;
};

/** Null for a fault that says nothing new. */
function wordingOf(fault: ErrorObject): Wording | null {
  const { keyword, params, message = 'is not valid' } = fault;
  switch (keyword) {
    case 'required':
      return { code: 'required', detail: 'is required', name: params['missingProperty'] };
    case 'additionalProperties':
      return { code: 'unknown_field', detail: 'is not a field here', name: params['additionalProperty'] };
    case 'type': {
      // That a field may be null too helps nobody who sent something else.
      const named = typesIn(fault).filter((type) => type !== 'null');
      if (named.length === 0) return null;
      return { code: 'wrong_type', detail: `must be ${named.map((type) => types[type]).join(' or ')}` };
    }
    case 'anyOf':
      return null;
    case 'propertyNames':
      return { code: 'unknown_field', detail: 'is no name of a field here', name: params['propertyName'] };
    case 'enum':
      return { code: 'not_allowed', detail: `must be one of ${params['allowedValues'].join(', ')}` };
    case 'minLength':
      return { code: 'too_short', detail: `must have at least ${counted(params['limit'], 'character')}` };
    case 'maxLength':
      return { code: 'too_long', detail: `must have at most ${counted(params['limit'], 'character')}` };
    case 'minItems':
      return { code: 'too_few', detail: `must have at least ${counted(params['limit'], 'item')}` };
    case 'minProperties':
      return { code: 'too_few', detail: `must have at least ${counted(params['limit'], 'field')}` };
    case 'maxProperties':
      return { code: 'too_many', detail: `must have at most ${counted(params['limit'], 'field')}` };
    case 'maxItems':
      return { code: 'too_many', detail: `must have at most ${counted(params['limit'], 'item')}` };
    case 'uniqueItems':
      return { code: 'twice', detail: 'must not contain duplicates' };
    case 'minimum':
      return { code: 'too_small', detail: `must be at least ${params['limit']}` };
    case 'maximum':
      return { code: 'too_large', detail: `must be at most ${params['limit']}` };
    case 'format':
      return formats[params['format'] as string] ?? { code: 'not_valid', detail: message };
    case 'x-json':
      return { code: 'metadata_limit', detail: message };
    default:
      return { code: 'not_valid', detail: message };
  }
}

/** The types of JSON Schema but null. */
const types: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const formats: Record<string, Wording> = {
  day: { code: 'not_an_instant', detail: 'must be a day, such as 2026-11-21' },
  instant: {
    code: 'not_an_instant',
    detail: 'must be an RFC 3339 instant, such as 2026-11-21T01:02:03.456Z',
  },
  text: { code: 'not_text', detail: 'must not contain a NUL or a lone surrogate' },
  repoUrl: {
    code: 'not_allowed',
    detail: 'must be an http or https address without user, query and fragment',
  },
  maxRemoved: { code: 'not_allowed', detail: 'must be a number, default, or a share such as 10%' },
  retentionOrEver: {
    code: 'not_allowed',
    detail: 'must be an ISO 8601 duration from P1D to P10Y, or forever',
  },
  retention: { code: 'not_allowed', detail: 'must be an ISO 8601 duration from P1D to P10Y, or null' },
  mediaType: { code: 'not_a_media_type', detail: 'must be a media type, such as image/png' },
};

/** RFC 6901. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
