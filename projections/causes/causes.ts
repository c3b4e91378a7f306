/**
 * What people and runs change in causes. What failures change in them is in `sightings.ts`, which the fold of the failures calls.
 */
import { afterRun, afterWord, noLaterThan } from '../../src/domain/causes/standing.js';
import type { HistoryChange } from '../../src/domain/test-history/result-change.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { DocumentRef } from '../../src/domain/projection.js';
import { groupId } from '../history/failure-scopes.js';
import { followedRef } from '../history/followed.js';
import { projection } from '../projection.js';
import { causeDocuments, causeTestDocuments, putTransition, type CauseDocument } from './cause-documents.js';
import { causeEntryDocuments, entryRef, tell } from './cause-entries.js';
import { dueDaysDocuments, dueDocuments, dueRefs, takeDue, watch, watchRefs } from './dues.js';

/** Goes after the failures. Its own events `CauseFixed` and `CauseCameBack` change nothing: they say what it did. */
export const causes = projection<HistoryChange>({
  name: 'causes',
  version: 3,
  collections: [causeDocuments, causeTestDocuments, causeEntryDocuments, dueDaysDocuments, dueDocuments],
  on: {
    CauseChanged: {
      touches: ({ id, data: { project_id, group }, meta }) => [
        causeDocuments.at(groupId(project_id, group)),
        entryRef(groupId(project_id, group), { id }),
        ...watchRefs(project_id, group, meta.at),
      ],
      apply(documents, event) {
        const { project_id, group, state, contents: _, ...named } = event.data;
        const { at, actor } = event.meta;
        const id = groupId(project_id, group);
        const present = documents.get(causeDocuments, id);
        if (present === null) return;
        const said = state === undefined ? present : afterWord(present, state, at);
        const said_by = said === present ? present.said_by : actor;
        tell(documents, event, {
          what: 'said',
          ...named,
          ...(state !== undefined && { state }),
          cause: id,
          at,
          actor,
        });
        documents.put(causeDocuments, id, { ...present, ...said, ...named, said_by } satisfies CauseDocument);
        if (said !== present && state === 'open') watch(documents, project_id, group, at);
      },
    },
    RunCompleted: {
      touches: (event) => [dueDaysDocuments.at(event.data.project_id), followedRef(event)],
      follows: (documents, event) =>
        withEntries(event, dueRefs(documents, event.data.project_id, endOf(event))),
      apply(documents, event) {
        const { project_id, run_id } = event.data;
        const at = endOf(event);
        takeDue(documents, project_id, at, (id, cause) => {
          const { group, last_failed_at } = cause;
          const standing = afterRun(cause, at);
          if (standing === cause) return cause;
          const data = { group, project_id, run_id, last_failed_at };
          const fixed = { ...cause, ...standing, said_by: null };
          tell(documents, event, { what: 'fixed', run_id, cause: id, at, actor: null });
          putTransition(documents, event, { id, cause: fixed, fact: { type: 'CauseFixed', data } });
          return standing;
        });
      },
    },
  },
});

/** Each cause that may be fixed may get an entry. */
function* withEntries(
  event: LedgerEvent<'RunCompleted'>,
  steps: Iterable<readonly DocumentRef[]>,
): Generator<readonly DocumentRef[]> {
  for (const refs of steps) {
    const causes = refs.filter((ref) => ref.collection === causeDocuments.name);
    yield [...refs, ...causes.map(({ id }) => entryRef(id, event))];
  }
}

function endOf({ data, meta }: LedgerEvent<'RunCompleted'>): string {
  return noLaterThan(data.finished_at, meta.at);
}
