/** How much each project has: how many results it ever recorded, and the bytes of its artifacts. Nobody walks its history for that. */
import type { LedgerEvent } from '../../src/domain/events.js';
import { collection, type Documents } from '../../src/domain/projection.js';
import { projection } from '../projection.js';
import { artifactDocuments } from './artifacts.js';

/** `submitted`, `single`: results by how they came. Deleted ones count: their verdicts stay. `artifacts`: confirmed ones. */
export type UsageDocument = {
  team_id: string;
  project_id: string;
  submitted: number;
  single: number;
  artifacts: number;
  artifact_bytes: number;
};

type Amounts = Pick<UsageDocument, 'submitted' | 'single' | 'artifacts' | 'artifact_bytes'>;

export const usageDocuments = collection<UsageDocument>({ name: 'usage', ids: 'project', indexes: [] });

export const usage = projection({
  name: 'usage',
  version: 1,
  collections: [usageDocuments],
  on: {
    // A run that is submitted whole.
    RunCreated: {
      touches: ({ data }) => (data.items === 0 ? [] : [usageDocuments.at(data.project_id)]),
      apply(documents, event) {
        if (event.data.items > 0) add(documents, event, { submitted: event.data.items });
      },
    },
    ItemsSubmitted: {
      touches: ({ data }) => [usageDocuments.at(data.project_id)],
      apply: (documents, event) => add(documents, event, { submitted: event.data.items }),
    },
    ResultCreated: {
      touches: ({ data }) => [usageDocuments.at(data.project_id)],
      apply: (documents, event) => add(documents, event, { single: 1 }),
    },
    ArtifactConfirmed: {
      touches: ({ data }) => [usageDocuments.at(data.project_id), artifactDocuments.at(data.artifact_id)],
      apply(documents, event) {
        const artifact = documents.get(artifactDocuments, event.data.artifact_id);
        if (artifact !== null) add(documents, event, { artifacts: 1, artifact_bytes: artifact.size_bytes });
      },
    },
    ArtifactDeleted: {
      touches: ({ data }) => [usageDocuments.at(data.project_id)],
      apply(documents, event) {
        const { confirmed, size_bytes } = event.data;
        if (confirmed) add(documents, event, { artifacts: -1, artifact_bytes: -size_bytes });
      },
    },
  },
});

type Counted = 'RunCreated' | 'ItemsSubmitted' | 'ResultCreated' | 'ArtifactConfirmed' | 'ArtifactDeleted';

const nothing: Amounts = { submitted: 0, single: 0, artifacts: 0, artifact_bytes: 0 };

function add(documents: Documents, { data, meta }: LedgerEvent<Counted>, more: Partial<Amounts>): void {
  const { project_id } = data;
  const present = documents.get(usageDocuments, project_id);
  const amounts = { ...nothing, ...present, ...sums(present ?? nothing, more) };
  documents.put(usageDocuments, project_id, { ...amounts, team_id: meta.team_id, project_id });
}

function sums(present: Amounts, more: Partial<Amounts>): Amounts {
  const { submitted = 0, single = 0, artifacts = 0, artifact_bytes = 0 } = more;
  return {
    submitted: present.submitted + submitted,
    single: present.single + single,
    artifacts: present.artifacts + artifacts,
    artifact_bytes: present.artifact_bytes + artifact_bytes,
  };
}
