/** What of a team's events one reader of the replay is shown. */
import { parseStreamName, type Category, type RecordedEvent } from '../domain/event.js';
import type { EventFilter } from '../ports/event-log.js';
import { teamStreams } from '../domain/team-streams.js';

export type View = {
  team: string;
  /** Events about members, keys and webhooks are shown too. */
  admin: boolean;
  /** Of these types only. */
  types?: readonly string[];
  /** Of this project only: those whose data names it. One that is none has no events. */
  project?: string;
};

/** Streams of these are for admins: they tell who may do what, and where events are sent. */
const FOR_ADMINS: readonly string[] = ['team', 'webhook'] satisfies readonly Category[];

/** What to ask the feed for; `sees` does the rest. */
export function filterOf({ team, admin, types }: View): EventFilter {
  const streams = teamStreams(team).filter((prefix) => admin || !isForAdmins(prefix));
  return { streams, ...(types && { types: [...types].sort() }) };
}

/** Whether a reader is shown an event of his team. */
export function sees({ admin, types, project }: View, event: RecordedEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  if (project !== undefined && projectOf(event) !== project) return false;
  return admin || !isForAdmins(event.stream);
}

/** Two readers with the same are shown the same. */
export function keyOf({ team, admin, types, project }: View): string {
  return JSON.stringify([team, admin, types === undefined ? null : [...types].sort(), project ?? null]);
}

/** What an event is about: a project, a run, a result, an artifact, a test, a webhook or a team. */
export function eventSubjectOf({ stream, data }: RecordedEvent): string {
  const { category, id } = parseStreamName(stream);
  // An item lies in a stream of its run's, but it is a result of its own.
  return category === 'items' ? (data as { result_id: string }).result_id : id;
}

function isForAdmins(stream: string): boolean {
  return FOR_ADMINS.includes(stream.slice(0, stream.indexOf('-')));
}

function projectOf({ data }: RecordedEvent): unknown {
  return (data as { project_id?: unknown }).project_id;
}
