/** What people say of a cause: who works on it, what is known of it, where its ticket is, and that it is fixed or open. */
import { differences, type Decider } from '../decider.js';
import { streamName, type StreamName } from '../event.js';
import type { CauseEvent, EventData } from '../events.js';
import { isId } from '../ids.js';
import { none, notFound, type None, type Present } from '../life.js';
import { limits } from '../../limits.js';
import type { Standing } from './standing.js';

type Named = { owner: string | null; note: string | null; ticket: string | null };

/** Present from the first thing that somebody said. */
export type Cause = None | Present<Named & { group: string; project_id: string }>;

export type ChangeCause = {
  type: 'ChangeCause';
  group: string;
  project_id: string;
  wanted: Partial<Named> & { state?: 'open' | 'fixed' };
  /** How it stands: runs change that too. */
  standing: Standing['state'];
};

export const cause: Decider<Cause, ChangeCause, CauseEvent> = {
  initial: none,

  decide({ group, project_id, wanted: { state, ...named }, standing }, present) {
    const before = present.life === 'none' ? { owner: null, note: null, ticket: null } : present;
    const changed = differences<Partial<Named>>(before, named);
    const said = state !== undefined && state !== standing ? { state } : {};
    const data: EventData['CauseChanged'] = { group, project_id, ...changed, ...said };
    return Object.keys(changed).length === 0 && said.state === undefined
      ? []
      : [{ type: 'CauseChanged', data }];
  },

  evolve(state, event) {
    if (event.type !== 'CauseChanged') return state;
    const { state: _, ...data } = event.data;
    const before = state.life === 'none' ? { owner: null, note: null, ticket: null } : state;
    return { ...before, ...data, life: 'present' };
  },

  most: { events: limits.eventsPerStream, isExempt: () => false },
};

/** Beside the stream of the group, whose only writer is the fold of the history. @throws AppError `not_found` for a malformed id */
export function causeStream(team: string, group: string): StreamName {
  if (!isId('group', group)) notFound('group of failures');
  return streamName('cause', team, group);
}
