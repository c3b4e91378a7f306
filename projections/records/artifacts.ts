/** The artifacts of results. Only confirmed ones are listed; the others wait here for their confirmation. */
import { latest } from '../../src/domain/instant.js';
import type { Artifact } from '../../src/domain/artifact/artifact.js';
import type { EventData, LedgerEvent } from '../../src/domain/events.js';
import { collection, type Documents } from '../../src/domain/projection.js';
import { projection } from '../projection.js';
import { runDocuments } from './run-documents.js';

export type ArtifactDocument = Artifact & {
  test_result_id: string;
  test_run_id: string | null;
  project_id: string;
  confirmed: boolean;
  team_id: string;
  /** The position of its creation. Every list is in this order. */
  created_position: string;
};

type DeletedArtifact = Pick<EventData['ArtifactDeleted'], 'artifact_id' | 'run_id'>;

export const artifactDocuments = collection<ArtifactDocument>({
  name: 'artifacts',
  ids: 'artifact',
  indexes: [
    ['test_result_id', 'confirmed', 'created_position'],
    ['test_run_id', 'created_position'],
    ['project_id', 'created_position'],
  ],
});

export const artifacts = projection({
  name: 'artifacts',
  version: 2,
  collections: [artifactDocuments],
  on: {
    ArtifactCreated: {
      touches: ({ data }) => artifactAndRun(data),
      apply(documents, event) {
        const { result_id: test_result_id, project_id, run_id: test_run_id, ...artifact } = event.data;
        documents.put(artifactDocuments, artifact.artifact_id, {
          ...artifact,
          test_result_id,
          test_run_id,
          project_id,
          created_at: event.meta.at,
          stored_as: null,
          confirmed: false,
          team_id: event.meta.team_id,
          created_position: event.position,
        });
        keepActive(documents, event);
      },
    },
    ArtifactConfirmed: {
      touches: ({ data }) => artifactAndRun(data),
      apply(documents, event) {
        const { artifact_id, stored_as } = event.data;
        const present = documents.get(artifactDocuments, artifact_id);
        if (present === null) return;
        documents.put(artifactDocuments, artifact_id, { ...present, stored_as, confirmed: true });
        keepActive(documents, event);
      },
    },
    ArtifactDeleted: {
      touches: ({ data }) => [artifactDocuments.at(data.artifact_id)],
      apply: (documents, { data }) => documents.remove(artifactDocuments, data.artifact_id),
    },
  },
});

/** A run whose results still get artifacts is active, so it is not completed as idle. */
function keepActive(
  documents: Documents,
  { data, meta }: LedgerEvent<'ArtifactCreated' | 'ArtifactConfirmed'>,
): void {
  const present = data.run_id === null ? null : documents.get(runDocuments, data.run_id);
  if (present === null) return;
  const active_at = latest(present.active_at, meta.at);
  if (active_at !== present.active_at)
    documents.put(runDocuments, present.test_run_id, { ...present, active_at });
}

function artifactAndRun({ artifact_id, run_id }: DeletedArtifact) {
  const touched = [artifactDocuments.at(artifact_id)];
  return run_id === null ? touched : [...touched, runDocuments.at(run_id)];
}
