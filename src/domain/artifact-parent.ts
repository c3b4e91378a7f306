/** Which result an artifact belongs to, found from the artifact's id alone (docs/decisions/010). */
import { fail } from '../errors.js';
import type { Decider } from './decider.js';
import type { ArtifactParentEvent, EventData } from './events.js';

export type ArtifactParent = { assigned: false } | { assigned: true; result_id: string };

export type ArtifactParentCommand = { type: 'AssignArtifact' } & EventData['ArtifactAssigned'];

export const artifactParent: Decider<ArtifactParent, ArtifactParentCommand, ArtifactParentEvent> = {
  initial: { assigned: false },

  decide({ type: _, ...data }, state) {
    if (!state.assigned) return [{ type: 'ArtifactAssigned', data }];
    if (state.result_id !== data.result_id) fail('write_conflict', 'The id belongs to another result.');
    return [];
  },

  evolve(state, event) {
    return event.type === 'ArtifactAssigned' ? { assigned: true, result_id: event.data.result_id } : state;
  },
};
