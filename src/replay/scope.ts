/** The scope of a replay: the events of a team that one reader may see and asked for. */
import type { Category, RecordedEvent } from '../domain/event.js';
import type { EventFilter } from '../ports/event-log.js';
import { teamStreams } from '../domain/teams/team-streams.js';

export type ReplayScope = {
  team: string;
  /** The reader also sees events about members, keys and webhooks. */
  admin: boolean;
  /** Only events of these types. */
  types?: readonly string[];
  /** The only projects that exist for the reader; null for all of the team. */
  projects: readonly string[] | null;
  /** Only events whose data names this project. An id that is no project of the team selects no events. */
  project?: string;
};

/** Only admins see these streams: they show who may do what, who did what, and where events are sent. */
const ADMIN_CATEGORIES: readonly string[] = ['team', 'webhook', 'audit'] satisfies readonly Category[];

/** The filter for the feed. It lets too many events through: `isVisible` decides about each. */
export function feedFilterOf({ team, admin, projects, types }: ReplayScope): EventFilter {
  const isForReader = admin && projects === null;
  const streams = teamStreams(team).filter((prefix) => isForReader || !isForAdmins(prefix));
  return { streams, ...(types && { types: [...types].sort() }) };
}

/** Whether the reader sees an event of the team. */
export function isVisible({ admin, types, project, projects }: ReplayScope, event: RecordedEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  if (project !== undefined && projectOf(event) !== project) return false;
  if (projects !== null && !projects.includes(String(projectOf(event)))) return false;
  return admin || !isForAdmins(event.stream);
}

/** Equal for two scopes that show the same events. */
export function scopeKeyOf({ team, admin, types, project, projects }: ReplayScope): string {
  const named = types === undefined ? null : [...types].sort();
  return JSON.stringify([
    team,
    admin,
    named,
    project ?? null,
    projects === null ? null : [...projects].sort(),
  ]);
}

function isForAdmins(stream: string): boolean {
  return ADMIN_CATEGORIES.includes(stream.slice(0, stream.indexOf('-')));
}

function projectOf({ data }: RecordedEvent): unknown {
  return (data as { project_id?: unknown }).project_id;
}
