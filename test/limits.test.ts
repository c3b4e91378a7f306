import { expect } from 'chai';
import { limits } from '../src/limits.js';
import { readSchema, schemaNames } from '../src/validation/schemas.js';

/** Each number in the schemas that bounds a value, by its place. */
const bounds: Record<string, number> = {
  'common.json#/$defs/metadata/x-json/maxBytes': limits.metadataBytes,
  'common.json#/$defs/metadata/x-json/maxDepth': limits.metadataLevels,
  'common.json#/$defs/name/minLength': limits.nameLeast,
  'common.json#/$defs/name/maxLength': limits.nameLength,
  'common.json#/$defs/description/maxLength': limits.descriptionLength,
  'common.json#/$defs/errorMessage/maxLength': limits.errorMessageLength,
  'common.json#/$defs/milliseconds/maximum': limits.executionTimeMs,
  'common.json#/$defs/attempt/maximum': limits.attempts,
  'common.json#/$defs/pageSize/maximum': limits.pageSize,
  // Every number of a page that JSON can carry exactly.
  'common.json#/$defs/pageNumber/maximum': Number.MAX_SAFE_INTEGER,
  'common.json#/$defs/eventCount/maximum': limits.replayEvents,
  'common.json#/$defs/artifactLabel/maxLength': limits.artifactTextLength,
  'common.json#/$defs/contentType/maxLength': limits.artifactTextLength,
  'common.json#/$defs/testStep/maxLength': limits.artifactTextLength,
  'common.json#/$defs/sizeBytes/maximum': limits.artifactBytes,
  'common.json#/$defs/branch/maxLength': limits.branchLength,
  'common.json#/$defs/webhookUrl/maxLength': limits.webhookUrlLength,
  'requests/SubmitRun.json#/properties/results/maxItems': limits.itemsPerSubmission,
  'requests/ListProjectsQuery.json#/properties/page_size/default': limits.defaultPageSize,
  'requests/RunsQuery.json#/properties/page_size/default': limits.defaultPageSize,
  'requests/ResultsQuery.json#/properties/page_size/default': limits.defaultPageSize,
  'requests/PageQuery.json#/properties/per_page/default': limits.defaultPageSize,
  'requests/TestsQuery.json#/properties/per_page/default': limits.defaultPageSize,
  'requests/TestRunsQuery.json#/properties/per_page/default': limits.defaultPageSize,
  'requests/DeliveriesQuery.json#/properties/per_page/default': limits.defaultPageSize,
  // A prefix of a key is 8 characters, neither more nor fewer.
  'events/KeyCreated.v1.json#/properties/prefix/minLength': 8,
  'events/KeyCreated.v1.json#/properties/prefix/maxLength': 8,
};

const bounding = /^(?:max[A-Z]\w*|maximum|minLength|default)$/;

describe('the limits of src/limits.ts', () => {
  it('are the bounds of the JSON Schemas, and no schema has a bound beside them', () => {
    const found = Object.fromEntries(schemaFiles().flatMap((path) => boundsIn(readSchema(path), `${path}#`)));
    expect(found).to.deep.equal(bounds);
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
