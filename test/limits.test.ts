import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { limits, type LimitName } from '../src/limits.js';
import { readSchema, schemaNames } from '../src/validation/schemas.js';

/** The numbers in the schemas that bound a value and are not limits of the API, by their place. */
const others: Record<string, number> = {
  // Every number of a page that JSON can carry exactly.
  'common.json#/$defs/pageNumber/maximum': Number.MAX_SAFE_INTEGER,
  // Metadata of an item, with `"error":{"message":""}` and a long message in it.
  'common.json#/$defs/itemMetadata/x-json/maxBytes': limits.metadataBytes + limits.longErrorMessageBytes + 40,
  'common.json#/$defs/itemMetadata/x-json/maxValues': limits.metadataValues + 2,
  // A prefix of a key is 8 characters, neither more nor fewer.
  'events/KeyCreated.v1.json#/properties/prefix/minLength': 8,
  'events/KeyCreated.v1.json#/properties/prefix/maxLength': 8,
};

/** `schemas/limits.json`: for each place in a schema that repeats a limit, the name of the limit. */
const limitAt = JSON.parse(
  readFileSync(new URL('../../schemas/limits.json', import.meta.url), 'utf8'),
) as Record<string, LimitName>;

const bounding = /^(?:max[A-Z]\w*|maximum|minLength|default)$/;

describe('the limits of src/limits.ts', () => {
  it('are the bounds of the JSON Schemas, and no schema has a bound beside them', () => {
    const found = Object.fromEntries(schemaFiles().flatMap((path) => boundsIn(readSchema(path), `${path}#`)));
    const repeated = Object.entries(limitAt).map(([place, name]) => [place, limits[name]]);
    expect(found).to.deep.equal({ ...Object.fromEntries(repeated), ...others });
  });

  it('are positive whole numbers', () => {
    for (const [name, value] of Object.entries(limits)) {
      expect(Number.isSafeInteger(value) && value > 0, name).to.equal(true);
    }
  });
});

function schemaFiles(): string[] {
  const folders = (['events', 'requests'] as const).flatMap((folder) =>
    schemaNames(folder).map((name) => `${folder}/${name}.json`),
  );
  return ['common.json', ...folders];
}

/** A default of 1 is the first page, and a length of at least 1 a text that is not empty: neither is a limit. */
function boundsIn(value: unknown, place: string): [string, number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]): [string, number][] =>
    bounding.test(name) && typeof each === 'number'
      ? each === 1
        ? []
        : [[`${place}/${name}`, each]]
      : boundsIn(each, `${place}/${name}`),
  );
}
