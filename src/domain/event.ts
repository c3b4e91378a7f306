/** Events as the log takes them and gives them back, and the names of streams. */

/**
 * Where an event lies in the log: opaque, sorts as text in log order. 20 digits; in the feed, of an item of a bulk
 * submission, those of its `RunCreated`, `-` and a 6-digit ordinal (docs/api.md, section 4).
 */
export type Position = string;

/** Before the first event. */
export const START: Position = '';

/** An instant in UTC milliseconds, `2026-11-21T01:02:03.456Z`. */
export type Instant = string;

/** `<category>-<team id>.<id>` */
export type StreamName = string;

export const categories = [
  'team',
  'project',
  'run',
  'items',
  'result',
  'artifact',
  'test',
  'webhook',
] as const;
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
  /** `data` as JSON, where many events were written as such already: then `data` is not looked at. */
  json?: string;
};

export type RecordedEvent = Omit<NewEvent, 'json'> & {
  stream: StreamName;
  revision: number;
  position: Position;
};

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

/** Of an item that the feed yields right after the `RunCreated` at `run`. */
export function itemPosition(run: Position, ordinal: number): Position {
  return `${run}-${String(ordinal).padStart(6, '0')}`;
}

/** A position of the feed as the log knows it: that of the event, or of the run that the item is one of. */
export function logPosition(position: Position): Position {
  return position.slice(0, POSITION_DIGITS);
}

/** The ordinal where the position is that of an item, else null. */
export function ordinalAt(position: Position): number | null {
  return position.length > POSITION_DIGITS ? Number(position.slice(POSITION_DIGITS + 1)) : null;
}

/** Of two positions: they sort as text. */
export function later(one: Position, other: Position): Position {
  return one > other ? one : other;
}

const POSITION_DIGITS = 20;

/** Whether a text has the form of a position of the log: 20 digits. `START` is none. */
export function isLogPosition(text: string): boolean {
  return /^\d{20}$/.test(text);
}

/** Whether a text has the form of a position of the feed: that of an event, or of an item of a bulk submission. */
export function isPosition(text: string): boolean {
  return /^\d{20}(-\d{6})?$/.test(text);
}
