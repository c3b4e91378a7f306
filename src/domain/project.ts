/** A project has a name and holds runs and results. An inactive project takes no writes. */
import { fail } from '../errors.js';
import { differences, type Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, Fact, ProjectEvent } from './events.js';
import { changedGate, type GateChange, type OwnGate } from './gate/settings.js';
import { mustBeNone, mustBePresent, none, purged, type Gone, type None, type Present } from './life.js';
import { decideTrust, type TrustCommand, type TrustRecord } from './teams/trust.js';
import { changedRetention, type OwnRetention } from './retention.js';
import { limits } from '../limits.js';

export type ProjectStatus = EventData['ProjectStatusChanged']['status'];

export type ProjectRecord = {
  project_id: string;
  name: string;
  description: string | null;
  /** The branch that runs are compared with. */
  default_branch: string;
  /** The web page of its repository, for links to files and commits; null where nobody has said it. */
  repo_url: string | null;
  /** What it has set itself, beside the settings of its team. */
  gate: OwnGate;
  retention: OwnRetention;
  status: ProjectStatus;
  created_at: Instant;
};

/** `trusts`: whose builds may have a key of this project. No read model shows them. */
export type Project = None | Gone | Present<ProjectRecord & { trusts: readonly TrustRecord[] }>;

/** That of a project for which none was sent. */
const DEFAULT_BRANCH = 'main';

export type ProjectCommand =
  | {
      type: 'CreateProject';
      project_id: string;
      name: string;
      description: string | null;
      default_branch?: string;
    }
  | {
      type: 'ChangeProject';
      name?: string;
      description?: string | null;
      default_branch?: string;
      repo_url?: string | null;
      gate?: GateChange;
      retention?: OwnRetention;
      status?: ProjectStatus;
    }
  | { type: 'PurgeProject' }
  | TrustCommand;

export const project: Decider<Project, ProjectCommand, ProjectEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateProject': {
        mustBeNone(state, 'project');
        const { project_id, name, description, default_branch = DEFAULT_BRANCH } = command;
        return [{ type: 'ProjectCreated', data: { project_id, name, description, default_branch } }];
      }
      case 'ChangeProject': {
        const present = mustBePresent(state, 'project');
        return [...changeDescription(present, command), ...changeStatus(present, command.status)];
      }
      case 'PurgeProject': {
        const { project_id } = mustBePresent(state, 'project');
        return [{ type: 'ProjectPurged', data: { project_id } }];
      }
      case 'AddTrust':
      case 'RemoveTrust':
        return decideTrust(mustBePresent(state, 'project'), command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ProjectCreated') {
      return {
        life: 'present',
        ...event.data,
        repo_url: null,
        gate: {},
        retention: {},
        status: 'Active',
        created_at: event.meta.at,
        trusts: [],
      };
    }
    if (state.life !== 'present') return state;
    switch (event.type) {
      case 'ProjectDescribed':
        return { ...state, ...event.data };
      case 'ProjectStatusChanged':
        return { ...state, status: event.data.status };
      case 'ProjectPurged':
        return purged;
      case 'TrustCreated': {
        const { project_id: _, ...trust } = event.data;
        return { ...state, trusts: [...state.trusts, { ...trust, created_at: event.meta.at }] };
      }
      case 'TrustRemoved': {
        const { trust_id } = event.data;
        return { ...state, trusts: state.trusts.filter((each) => each.trust_id !== trust_id) };
      }
      default:
        return state;
    }
  },

  most: {
    events: limits.eventsPerStream,
    isExempt: ({ type }) => type === 'RemoveTrust' || type === 'PurgeProject',
  },
};

/** @throws AppError `not_found`, or `project_inactive` if the project takes no writes. */
export function mustTakeWrites(state: Project): void {
  const { status } = mustBePresent(state, 'project');
  if (status === 'Inactive') fail('project_inactive', 'The project is inactive. It takes no writes.');
}

type Change = Extract<ProjectCommand, { type: 'ChangeProject' }>;

function changeDescription(
  present: ProjectRecord,
  { type: _, status: __, gate: change, retention: kept, ...wanted }: Change,
): Fact<ProjectEvent>[] {
  const changed = differences<Omit<Change, 'type' | 'status' | 'gate' | 'retention'>>(present, wanted);
  const gate = changedGate(present.gate, change);
  const retention = changedRetention(present.retention, kept);
  if (Object.keys(changed).length === 0 && gate === null && retention === null) return [];
  const data = {
    project_id: present.project_id,
    ...changed,
    ...(gate && { gate }),
    ...(retention && { retention }),
  };
  return [{ type: 'ProjectDescribed', data }];
}

function changeStatus(
  { project_id, status: previous_status }: ProjectRecord,
  status: ProjectStatus = previous_status,
): Fact<ProjectEvent>[] {
  if (status === previous_status) return [];
  return [{ type: 'ProjectStatusChanged', data: { project_id, previous_status, status } }];
}
