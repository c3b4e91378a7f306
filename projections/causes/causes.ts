/**
 * What people and runs change in causes. What failures change in them is in `sightings.ts`, which the fold of the failures calls.
 */
import { afterRun, afterWord, noLaterThan } from '../../src/domain/causes/standing.js';
import type { HistoryChange } from '../../src/domain/test-history/result-change.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { groupId } from '../history/failure-scopes.js';
import { projection } from '../projection.js';
import { causeDocuments, causeTestDocuments, type CauseDocument } from './cause-documents.js';
import { causeTransitionDocuments, putTransition } from './cause-transitions.js';
import { dueDaysDocuments, dueDocuments, dueRefs, takeDue, watch, watchRefs } from './dues.js';

/** Goes after the failures. Its own events `CauseFixed` and `CauseCameBack` change nothing: they say what it did. */
export const causes = projection<HistoryChange>({
  name: 'causes',
  version: 1,
  collections: [causeDocuments, causeTestDocuments, dueDaysDocuments, dueDocuments],
  on: {
    CauseChanged: {
      touches: ({ data: { project_id, group }, meta }) => [
        causeDocuments.at(groupId(project_id, group)),
        ...watchRefs(project_id, group, meta.at),
      ],
      apply(documents, { data: { project_id, group, state, ...named }, meta: { at, actor } }) {
        const id = groupId(project_id, group);
        const present = documents.get(causeDocuments, id);
        if (present === null) return;
        const said = state === undefined ? present : afterWord(present, state, at);
        const said_by = said === present ? present.said_by : actor;
        documents.put(causeDocuments, id, { ...present, ...said, ...named, said_by } satisfies CauseDocument);
        if (said !== present && state === 'open') watch(documents, project_id, group, at);
      },
    },
    RunCompleted: {
      touches: ({ id, data }) => [dueDaysDocuments.at(data.project_id), causeTransitionDocuments.atNew(id)],
      follows: (documents, event) => dueRefs(documents, event.data.project_id, endOf(event)),
      apply(documents, event) {
        const { project_id, run_id } = event.data;
        const at = endOf(event);
        takeDue(documents, project_id, at, (id, cause) => {
          const { group, last_failed_at } = cause;
          const standing = afterRun(cause, at);
          if (standing === cause) return cause;
          const data = { group, project_id, run_id, last_failed_at };
          const fixed = { ...cause, ...standing, said_by: null };
          putTransition(documents, event, id, { cause: fixed, type: 'CauseFixed', data });
          return standing;
        });
      },
    },
  },
});

function endOf({ data, meta }: LedgerEvent<'RunCompleted'>): string {
  return noLaterThan(data.finished_at, meta.at);
}
