/** Every result by itself, folded event by event: the plainest reading of what lists and reads of results show. */
import type { ResultDocument } from '../../projections/records/run-documents.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { result } from '../../src/domain/results/result.js';
import { supersededBy } from '../../src/domain/supersession.js';

/** The results that exist, in the order of their creation. */
export function naiveResults(events: readonly LedgerEvent[]): ResultDocument[] {
  const all = new Map<string, ResultDocument>();
  const change = (id: string, fields: (former: ResultDocument) => Partial<ResultDocument>) => {
    const former = all.get(id);
    if (former === undefined) return;
    const { replaced_by = [], ...next } = { ...former, ...fields(former) };
    all.set(id, { ...next, ...(replaced_by.length > 0 && { replaced_by }) });
  };
  for (const event of events) {
    switch (event.type) {
      case 'ResultCreated':
      case 'ResultSubmitted': {
        const { result_id: id } = event.data;
        const created = result.evolve(result.initial, event);
        if (created.life !== 'present') throw new Error(id);
        const call_environment = event.meta.facts?.environment;
        const origin = {
          team_id: event.meta.team_id,
          created_position: event.position,
          ...(call_environment !== undefined && { call_environment }),
        };
        all.set(id, { ...created, ...origin, superseded_by: null });
        if (event.type === 'ResultCreated') {
          if (event.data.retry_of !== null) change(event.data.retry_of, () => ({ superseded_by: id }));
          break;
        }
        const { superseded_by, replaces = [], replaced_by = [] } = event.data;
        change(id, () => ({ superseded_by, replaced_by: replaced_by.filter((each) => all.has(each)) }));
        for (const each of replaces)
          change(each, ({ replaced_by: others = [] }) => ({ replaced_by: [...others, id] }));
        break;
      }
      case 'ResultStarted':
      case 'ResultFinished':
      case 'ResultUpdated':
        change(event.data.result_id, (former) => result.evolve(former, event) as ResultDocument);
        break;
      case 'ResultDeleted': {
        const { result_id: id, replaces = [] } = event.data;
        all.delete(id);
        for (const each of supersededBy(event.data)) {
          if (all.get(each)?.superseded_by === id) change(each, () => ({ superseded_by: null }));
        }
        for (const each of replaces)
          change(each, ({ replaced_by = [] }) => ({ replaced_by: replaced_by.filter((by) => by !== id) }));
        break;
      }
      default:
    }
  }
  const order = (one: ResultDocument, other: ResultDocument) =>
    one.created_position < other.created_position ? -1 : 1;
  return [...all.values()].sort(order);
}
