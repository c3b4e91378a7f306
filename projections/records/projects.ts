/** The projects of a team, in order of creation. */
import { project, type Project, type ProjectRecord } from '../../src/domain/project.js';
import type { ProjectEvent } from '../../src/domain/events.js';
import type { Gone, None, Present } from '../../src/domain/life.js';
import { collection } from '../../src/domain/projection.js';
import { createdBy, projection, type Handler } from '../projection.js';

export type ProjectDocument = ProjectRecord & {
  team_id: string;
  /** The position of its creation. Every list is in this order. */
  created_position: string;
};

export const projectDocuments = collection<ProjectDocument>({
  name: 'projects',
  ids: 'project',
  indexes: [['created_position'], ['team_id', 'created_position'], ['team_id', 'status', 'created_position']],
  totals: [['team_id'], ['team_id', 'status']],
});

export const projects = projection({
  name: 'projects',
  version: 3,
  collections: [projectDocuments],
  on: {
    ProjectCreated: change(),
    ProjectDescribed: change(),
    ProjectStatusChanged: change(),
  },
});

function change(): Handler<ProjectEvent> {
  return {
    touches: ({ data }) => [projectDocuments.at(data.project_id)],
    apply(documents, event) {
      const id = event.data.project_id;
      const present = documents.get(projectDocuments, id);
      const { life, ...record } = shown(project.evolve(stateOf(present), event));
      if (life === 'present')
        documents.put(projectDocuments, id, { ...createdBy(event), ...present, ...record });
    },
  };
}

function stateOf(document: ProjectDocument | null): Project {
  return document === null ? project.initial : { life: 'present', ...document, trusts: [] };
}

/** Without its trusts, which no read model needs: only the exchange of a token and their own list read them. */
function shown(state: Project): None | Gone | Present<ProjectRecord> {
  if (state.life !== 'present') return state;
  const { trusts: _, ...record } = state;
  return record;
}
