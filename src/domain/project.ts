/** A project: a name for a body of tests; inactive ones take no writes. */
import { fail } from '../errors.js';
import { differences, type Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, Fact, ProjectEvent } from './events.js';

export type ProjectStatus = EventData['ProjectStatusChanged']['status'];

export type ProjectRecord = {
  project_id: string;
  name: string;
  description: string | null;
  status: ProjectStatus;
  created_at: Instant;
};

export type Project = { exists: false } | ({ exists: true } & ProjectRecord);

export type ProjectCommand =
  | { type: 'CreateProject'; project_id: string; name: string; description: string | null }
  | { type: 'ChangeProject'; name?: string; description?: string | null; status?: ProjectStatus };

export const project: Decider<Project, ProjectCommand, ProjectEvent> = {
  initial: { exists: false },

  decide(command, state) {
    if (command.type === 'CreateProject') {
      if (state.exists) fail('write_conflict', 'The project is there already.');
      const { project_id, name, description } = command;
      return [{ type: 'ProjectCreated', data: { project_id, name, description } }];
    }
    if (!state.exists) fail('not_found', 'There is no such project.');
    const { project_id } = state;
    const { type: _, status, ...wanted } = command;
    const facts: Fact<ProjectEvent>[] = [];
    const described = differences<Described>(state, wanted);
    if (Object.keys(described).length > 0) {
      facts.push({ type: 'ProjectDescribed', data: { project_id, ...described } });
    }
    if (status !== undefined && status !== state.status) {
      facts.push({
        type: 'ProjectStatusChanged',
        data: { project_id, previous_status: state.status, status },
      });
    }
    return facts;
  },

  evolve(state, event) {
    if (event.type === 'ProjectCreated') {
      return { exists: true, ...event.data, status: 'Active', created_at: event.meta.at };
    }
    if (!state.exists) return state;
    switch (event.type) {
      case 'ProjectDescribed':
        return { ...state, ...event.data };
      case 'ProjectStatusChanged':
        return { ...state, status: event.data.status };
      default:
        return state;
    }
  },
};

type Described = { name?: string; description?: string | null };

/** Refuses a write below a project that is not there or takes none. */
export function mustTakeWrites(state: Project): asserts state is { exists: true } & ProjectRecord {
  if (!state.exists) fail('not_found', 'There is no such project.');
  if (state.status === 'Inactive') fail('project_inactive', 'The project is inactive: it takes no writes.');
}
