/** Known failures. What a test says of its own is in its document. */
import { keyOfEnvironment } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { collection, type ReadableDocuments } from '../../src/domain/projection.js';
import { knowNoMore, knowThrough, knownThroughRefs } from '../causes/known-through.js';
import { projection } from '../projection.js';
import { numbersRefs, settledRefs, testNumberDocuments } from './test-numbers.js';
import {
  newTest,
  projectTestsDocuments,
  testDocuments,
  type KnownFailureOfTest,
  type TestDocument,
} from './tests.js';

/** By test id: a known failure in force, for the look-up of those whose time is over and of those of a project. */
export type KnownFailureDocument = {
  team_id: string;
  project_id: string;
  test_id: string;
  in_force: true;
  expires_at: Instant;
  /** The group of failures through which it is known. Absent for a test alone. */
  group?: string;
};

export const knownFailureDocuments = collection<KnownFailureDocument>({
  name: 'known_failures',
  ids: 'test',
  indexes: [
    ['in_force', 'expires_at'],
    ['project_id', 'expires_at'],
    ['group', 'expires_at'],
  ],
  sparse: ['group'],
  totals: [['project_id']],
});

/** The known failure that an event ends or replaces, for the parts after this one. */
const formers = new WeakMap<LedgerEvent, KnownFailureOfTest>();

/** Null where the test had none. */
export function formerKnownFailure(event: LedgerEvent): KnownFailureOfTest | null {
  return formers.get(event) ?? null;
}

/** On some branch, and in some environment, at the time of the event. It reads the document of the test. */
export function isKnownSomewhere(
  documents: ReadableDocuments,
  { meta }: LedgerEvent,
  test_id: string,
): boolean {
  const known = documents.get(testDocuments, test_id)?.known_failure ?? null;
  return known !== null && meta.at < known.expires_at;
}

/** Goes before the histories, in which new failures are known. */
export const knownFailures = projection({
  name: 'known_failures',
  version: 5,
  collections: [testDocuments, testNumberDocuments, projectTestsDocuments, knownFailureDocuments],
  on: {
    KnownFailureSet: {
      touches: ({ data }) => [
        testDocuments.at(data.test_id),
        ...numbersRefs(data.project_id, data.test_id),
        ...settledRefs(data.project_id, data.test_id),
        projectTestsDocuments.at(data.project_id),
        knownFailureDocuments.at(data.test_id),
      ],
      follows(documents, event) {
        const { test_id, group } = event.data;
        const before = documents.get(testDocuments, test_id)?.known_failure?.group;
        const causes = knownThroughRefs(event, [before, group]);
        return causes.length === 0 ? null : [causes];
      },
      apply(documents, event) {
        const { data, meta } = event;
        const { team_id, actor, at } = meta;
        const { test_id, project_id, test_name: name, reason, branch, expires_at, group } = data;
        const former = documents.get(testDocuments, test_id)?.known_failure ?? null;
        if (former !== null) formers.set(event, former);
        knowThrough(documents, event, former?.group);
        const environment = data.environment == null ? null : keyOfEnvironment(data.environment);
        documents.put(testDocuments, test_id, {
          ...(documents.get(testDocuments, test_id) ??
            newTest(documents, test_id, { team_id, project_id, name })),
          known_failure: {
            reason,
            branch,
            environment,
            expires_at,
            actor,
            at,
            hidden_results: 0,
            ...(group !== undefined && { group }),
          },
        } satisfies TestDocument);
        documents.put(knownFailureDocuments, test_id, {
          team_id,
          project_id,
          test_id,
          in_force: true,
          expires_at,
          ...(group !== undefined && { group }),
        } satisfies KnownFailureDocument);
      },
    },
    KnownFailureEnded: {
      touches: ({ data }) => [testDocuments.at(data.test_id), knownFailureDocuments.at(data.test_id)],
      follows(documents, event) {
        const before = documents.get(testDocuments, event.data.test_id)?.known_failure?.group;
        return before === undefined ? null : [knownThroughRefs(event, [before])];
      },
      apply(documents, event) {
        const { test_id } = event.data;
        const present = documents.get(testDocuments, test_id);
        const known = present?.known_failure ?? null;
        if (known !== null) formers.set(event, known);
        if (known?.group !== undefined) knowNoMore(documents, event, known.group);
        if (present !== null) documents.put(testDocuments, test_id, { ...present, known_failure: null });
        documents.remove(knownFailureDocuments, test_id);
      },
    },
  },
});
