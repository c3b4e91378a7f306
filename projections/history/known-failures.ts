/** Known failures. What a test says of its own is in its document. */
import { keyOfEnvironment } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import { collection } from '../../src/domain/projection.js';
import { projection } from '../projection.js';
import { newTest, projectTestsDocuments, testDocuments, type TestDocument } from './tests.js';

/** By test id: a known failure in force, for the look-up of those whose time is over and of those of a project. */
export type KnownFailureDocument = {
  team_id: string;
  project_id: string;
  test_id: string;
  in_force: true;
  expires_at: Instant;
};

export const knownFailureDocuments = collection<KnownFailureDocument>({
  name: 'known_failures',
  ids: 'test',
  indexes: [
    ['in_force', 'expires_at'],
    ['project_id', 'expires_at'],
  ],
  totals: [['project_id']],
});

/** Goes before the histories, in which new failures are known. */
export const knownFailures = projection({
  name: 'known_failures',
  version: 1,
  collections: [testDocuments, projectTestsDocuments, knownFailureDocuments],
  on: {
    KnownFailureSet: {
      touches: ({ data }) => [
        testDocuments.at(data.test_id),
        projectTestsDocuments.at(data.project_id),
        knownFailureDocuments.at(data.test_id),
      ],
      apply(documents, { data, meta: { team_id, actor, at } }) {
        const { test_id, project_id, test_name: name, reason, branch, expires_at } = data;
        const environment = data.environment == null ? null : keyOfEnvironment(data.environment);
        documents.put(testDocuments, test_id, {
          ...(documents.get(testDocuments, test_id) ??
            newTest(documents, test_id, { team_id, project_id, name })),
          known_failure: { reason, branch, environment, expires_at, actor, at, hidden_results: 0 },
        } satisfies TestDocument);
        documents.put(knownFailureDocuments, test_id, {
          team_id,
          project_id,
          test_id,
          in_force: true,
          expires_at,
        } satisfies KnownFailureDocument);
      },
    },
    KnownFailureEnded: {
      touches: ({ data }) => [testDocuments.at(data.test_id), knownFailureDocuments.at(data.test_id)],
      apply(documents, { data: { test_id } }) {
        const present = documents.get(testDocuments, test_id);
        if (present !== null) documents.put(testDocuments, test_id, { ...present, known_failure: null });
        documents.remove(knownFailureDocuments, test_id);
      },
    },
  },
});
