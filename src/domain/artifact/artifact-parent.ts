/** The result that an artifact belongs to, under the id of the artifact (docs/decisions/010). */
import { fail } from '../../errors.js';
import type { Decider } from '../decider.js';
import type { ArtifactParentEvent, EventData } from '../events.js';
import { none, type None, type Present } from '../life.js';

export type ArtifactParent = None | Present<{ result_id: string; project_id: string }>;

export type ArtifactParentCommand = { type: 'AssignArtifact' } & EventData['ArtifactAssigned'];

export const artifactParent: Decider<ArtifactParent, ArtifactParentCommand, ArtifactParentEvent> = {
  initial: none,

  decide({ type: _, ...data }, state) {
    if (state.life === 'none') return [{ type: 'ArtifactAssigned', data }];
    if (state.result_id !== data.result_id) fail('write_conflict', 'The id belongs to another result.');
    return [];
  },

  evolve(state, event) {
    if (event.type !== 'ArtifactAssigned') return state;
    const { result_id, project_id } = event.data;
    return { life: 'present', result_id, project_id };
  },
};
