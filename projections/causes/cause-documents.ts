/** The causes of a project: its groups of failures, as something that people work on. */
import type { CauseState, Standing } from '../../src/domain/causes/standing.js';
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import type { GroupEvent } from '../../src/domain/events.js';
import type { FollowedFact } from '../../src/domain/messages/message-spec.js';
import { collection, type Documents } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { follow } from '../history/followed.js';

/** By `groupId`. It stays when its failures are gone: they may come again. */
export type CauseDocument = Standing & {
  group: string;
  /** The id of whoever said the state; null where it follows from runs. */
  said_by: string | null;
  /** Whom somebody named. */
  owner: string | null;
  /** That of the test that failed last and has one. */
  test_owner: string | null;
  note: string | null;
  ticket: string | null;
  /** Absent while no test is known through it. */
  known?: KnownThrough;
  /** The number of events in the stream of its group. */
  transitions: number;
};

/** The known failures that were set for all tests of a cause. The newest one says why. */
export type KnownThrough = {
  tests: number;
  reason: string;
  branch: string | null;
  environment: EnvironmentKey | null;
  expires_at: Instant;
  actor: string;
  at: Instant;
};

/** By the id of the cause, `#` and test: a test with failing results of it. */
export type CauseTestDocument = { cause: string; test_id: string; results: number; last_failed_at: Instant };

export const causeDocuments = collection<CauseDocument>({ name: 'causes', ids: 'project', indexes: [] });

export const causeTestDocuments = collection<CauseTestDocument>({
  name: 'cause_tests',
  ids: 'project',
  rarelyRead: true,
  indexes: [['cause', 'results']],
  totals: [['cause']],
});

/** Puts a cause with what follows for it from the event. */
export function putTransition(
  documents: Documents,
  event: HistoryEvent,
  {
    id,
    cause,
    fact,
  }: { id: string; cause: CauseDocument; fact: Extract<FollowedFact, { type: GroupEvent }> },
): void {
  const { group, transitions: before } = cause;
  follow(documents, event, { ...fact, category: 'group', subject: group, before });
  documents.put(causeDocuments, id, { ...cause, transitions: before + 1 } satisfies CauseDocument);
}

export function stateOf({ state, known }: Pick<CauseDocument, 'state' | 'known'>): CauseState {
  return known !== undefined && state !== 'fixed' ? 'known' : state;
}

export function ownerOf({ owner, test_owner }: Pick<CauseDocument, 'owner' | 'test_owner'>): string | null {
  return owner ?? test_owner;
}
