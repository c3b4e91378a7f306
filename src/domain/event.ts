/** Events as the log takes them and gives them back, and the names of streams. */

/** Where an event lies in the log: opaque, sorts as text in log order. 20 digits (api-decisions, section 3). */
export type Position = string;

/** Before the first event. */
export const START: Position = '';

/** An instant in UTC milliseconds, `2026-11-21T01:02:03.456Z`. */
export type Instant = string;

/** `<category>-<team id>.<id>` */
export type StreamName = string;

export const categories = ['team', 'project', 'run', 'items', 'result'] as const;
export type Category = (typeof categories)[number];

export type EventMeta = {
  team_id: string;
  /** Who did it: a key's id, or `system`. */
  actor: string;
  at: Instant;
  correlation_id: string;
  causation_id: string | null;
};

export type NewEvent = {
  /** A UUID. */
  id: string;
  type: string;
  /** Of the schema: `schemas/events/<type>.v<version>.json`. */
  version: number;
  data: unknown;
  meta: EventMeta;
};

export type RecordedEvent = NewEvent & { stream: StreamName; revision: number; position: Position };

/** The team is part of the name, so a handler can only address streams of its key's team. */
export function streamName(category: Category, team: string, id: string): StreamName {
  return `${category}-${team}.${id}`;
}

/** Takes a stream's name apart. @throws Error where it is not one. */
export function parseStreamName(name: StreamName): { category: string; team: string; id: string } {
  const dash = name.indexOf('-');
  const dot = name.indexOf('.', dash);
  if (dash < 1 || dot < dash + 2 || dot === name.length - 1) throw new Error(`not a stream name: ${name}`);
  return { category: name.slice(0, dash), team: name.slice(dash + 1, dot), id: name.slice(dot + 1) };
}
