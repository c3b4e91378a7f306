/** The projects of a team, in order of creation. */
import { project, type Project, type ProjectRecord } from '../src/domain/project.js';
import type { LedgerEvent, ProjectEvent } from '../src/domain/events.js';
import { collection } from '../src/domain/projection.js';
import { projection, type Handler } from './projection.js';

export type ProjectDocument = ProjectRecord & {
  team_id: string;
  /** Position of its creation: the order of every list. */
  created_position: string;
};

export const projectDocuments = collection<ProjectDocument>({
  name: 'projects',
  ids: 'project',
  indexes: [['team_id', 'created_position']],
  totals: [['team_id']],
});

export const projects = projection({
  name: 'projects',
  version: 1,
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
<<<<<<< HEAD
      const present = documents.get(projectDocuments, id);
      const { exists, ...record } = project.evolve(stateOf(present), event);
      if (exists) documents.put(projectDocuments, id, { ...origin(event), ...present, ...record });
=======
      const present = documents.get<ProjectDocument>('projects', id);
      const { life, ...record } = project.evolve(stateOf(present), event);
      if (life === 'present') documents.put('projects', id, { ...origin(event), ...present, ...record });
>>>>>>> d85b5ba (Give deciders one word for absence, one function a command, and a check step after the decision; name a run's description fields once)
    },
  };
}

function stateOf(document: ProjectDocument | null): Project {
  return document === null ? project.initial : { life: 'present', ...document };
}

/** What a document keeps of the event that made it. */
function origin(event: LedgerEvent): { team_id: string; created_position: string } {
  return { team_id: event.meta.team_id, created_position: event.position };
}
