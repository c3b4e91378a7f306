import { expect } from 'chai';
import type { ErrorObject } from 'ajv';
import { fieldErrorsOf } from '../../../src/http/problems/field-errors.js';
import { loadSchemas, readSchema, resolved, schemaNames } from '../../../src/validation/schemas.js';

/** Keywords that give a schema its structure: a value cannot break them by itself. */
const structural = [
  '$defs',
  '$id',
  '$ref',
  '$schema',
  'anyOf',
  'default',
  'description',
  'items',
  'properties',
  'title',
];

const fault = (keyword: string, params: object = {}): ErrorObject => ({
  keyword,
  params,
  instancePath: '/a',
  schemaPath: '',
  message: 'must meet a rule',
});

describe('a fault that a schema finds', () => {
  it('has a code of its own for every keyword and format of the request schemas', () => {
    const files = ['common.json', ...schemaNames('requests').map((name) => `requests/${name}.json`)];
    const used = new Map<string, object>();
    for (const file of files)
      for (const [name, params] of keywordsOf(readSchema(file))) used.set(name, params);
    expect(used.size).to.be.above(10);
    for (const params of used.values()) {
      const { keyword } = params as { keyword: string };
      const [found] = fieldErrorsOf([fault(keyword, { allowedValues: [], ...params })], 'body');
      expect(found?.code, JSON.stringify(params)).to.be.a('string').and.not.equal('not_valid');
    }
  });

  it('is described by a sentence with its noun', () => {
    const described = (keyword: string, params: object) =>
      fieldErrorsOf([fault(keyword, params)], 'body').map(({ detail }) => detail);
    for (const [keyword, params, detail] of [
      ['type', { type: 'integer' }, 'must be an integer'],
      ['type', { type: 'string' }, 'must be a string'],
      ['type', { type: 'object' }, 'must be an object'],
      ['type', { type: 'array' }, 'must be an array'],
      ['type', { type: 'boolean' }, 'must be true or false'],
      ['minLength', { limit: 1 }, 'must have at least 1 character'],
      ['maxLength', { limit: 255 }, 'must have at most 255 characters'],
      ['minItems', { limit: 1 }, 'must have at least 1 item'],
      ['maxItems', { limit: 50 }, 'must have at most 50 items'],
    ] as const) {
      expect(described(keyword, params)).to.deep.equal([detail]);
    }
  });

  it('of a value of several types says what is wrong with its own, and names all of them where it is of none', () => {
    const gate = (value: object) => {
      const { check } = loadSchemas('requests').get('ChangeProject')!;
      return fieldErrorsOf(check({ gate: value }), 'body').map(
        ({ pointer, detail }) => `${pointer} ${detail}`,
      );
    };
    expect(gate({ max_removed: -1 })).to.deep.equal(['/gate/max_removed must be at least 0']);
    expect(gate({ max_removed: true })).to.deep.equal(['/gate/max_removed must be a string or an integer']);
    expect(gate({ max_removed: 'ten' })).to.deep.equal([
      '/gate/max_removed must be a number, default, or a share such as 10%',
    ]);
    expect(gate({ min_tests: 'ten' })).to.deep.equal(['/gate/min_tests must be an integer']);
    const { check } = loadSchemas('requests').get('SetKnownFailure')!;
    const known = { reason: 'x', expires_at: '2026-12-01T00:00:00Z', environment: 'os=linux' };
    expect(fieldErrorsOf(check(known), 'body')).to.deep.equal([
      { pointer: '/environment', code: 'wrong_type', detail: 'must be an object' },
    ]);
  });

  it('is not_valid with the message of the validator for any other keyword', () => {
    expect(fieldErrorsOf([fault('pattern')], 'body')).to.deep.equal([
      { pointer: '/a', code: 'not_valid', detail: 'must meet a rule' },
    ]);
    expect(fieldErrorsOf([fault('format', { format: 'uuid' })], 'query')).to.deep.equal([
      { pointer: '?a', code: 'not_valid', detail: 'must meet a rule' },
    ]);
  });
});

describe('a field of a schema', () => {
  it('is resolved with the keywords of its shared definition', () => {
    const { properties } = readSchema('requests/EventsQuery.json');
    expect(resolved(properties['limit']!)).to.include({ type: 'integer', minimum: 1 });
    expect(resolved(properties['after']!)).to.deep.equal({ type: 'string' });
  });
});

/** Each keyword of a schema that a value can break, with what the validator would report. */
function keywordsOf(schema: object): [string, object][] {
  return Object.entries(schema).flatMap(([name, value]): [string, object][] => {
    if (name === 'properties' || name === '$defs')
      return Object.values(value as object).flatMap((each) => keywordsOf(each as object));
    if (name === 'anyOf') return (value as object[]).flatMap(keywordsOf);
    if (name === 'items') return keywordsOf(value as object);
    if (structural.includes(name)) return [];
    if (name === 'type' && value === 'null') return [];
    return [[`${name} ${name === 'format' ? value : ''}`, { keyword: name, [name]: value }]];
  });
}
