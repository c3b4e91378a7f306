/** The settings of a project that its comparisons follow. */
import type { Handler } from '../projection.js';
import { defaultBranchOf, projectSettingsDocuments } from './run-summary-documents.js';

export const settings: Handler<'ProjectCreated' | 'ProjectDescribed'> = {
  touches: ({ data }) => [projectSettingsDocuments.at(data.project_id)],
  apply(documents, { data }) {
    const { project_id } = data;
    const present = documents.get(projectSettingsDocuments, project_id);
    const { default_branch = defaultBranchOf(present) } = data;
    const gate = ('gate' in data ? data.gate : undefined) ?? present?.gate ?? {};
    const isSame = default_branch === present?.default_branch && gate === present.gate;
    if (!isSame) documents.put(projectSettingsDocuments, project_id, { default_branch, gate });
  },
};
