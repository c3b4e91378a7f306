/** Events as they are written to and read from the log, their positions and the names of streams. */

/**
 * The place of an event in the log, in 20 digits. Positions sort as text in the order of the log. In the feed, an item
 * of a bulk submission has the position of the event before its items (`RunCreated` or `ItemsSubmitted`), then `-` and a
 * 6-digit ordinal (docs/api.md, section 4).
 */
export type Position = string;

/** The position before the first event. */
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
  'known',
  'group',
  'cause',
  'verdict',
  'digest',
  'webhook',
  'audit',
] as const;
export type Category = (typeof categories)[number];

export type EventMeta = {
  team_id: string;
  /**
   * The id of the API key or of the person that sent the command, or `system`; `operator` for somebody on the machine, and
   * `unknown` for a stranger. For a build without a stored key, `build` and its
   * name: its key is forgotten when it ends.
   */
  actor: string;
  at: Instant;
  correlation_id: string;
  causation_id: string | null;
  /**
   * What the event of a result leaves out and the fold of histories needs (`test-history/result-facts.ts`), and where an
   * act that the audit tells was done from (`audit/told-events.ts`). No reader of the replay sees it.
   */
  facts?: {
    readonly shard_attempt?: number;
    readonly environment?: string;
    readonly [more: string]: unknown;
  };
};

export type NewEvent = {
  /** A UUID. */
  id: string;
  type: string;
  /** The version of the schema of `data`: `schemas/events/<type>.v<version>.json`. */
  version: number;
  data: unknown;
  meta: EventMeta;
  /** `data` as JSON, for a caller that has this text already. `data` itself is then ignored. */
  json?: string;
  /** The contents that the event names, which are stored with it or before it. */
  contents?: KeptBy & { kept: readonly Content[] };
};

/** Who holds contents, and the project of the results that name them. */
export type KeptBy = { holder: string; project: string };

/** A text that is stored apart from the events that name it by its hash (docs/decisions/041). */
export type Content = { hash: string; text: string };

export type RecordedEvent = Omit<NewEvent, 'json' | 'contents'> & {
  stream: StreamName;
  revision: number;
  position: Position;
};

/** The team is part of the name, so a handler can address only the streams of its key's team. */
export function streamName(category: Category, team: string, id: string): StreamName {
  return `${category}-${team}.${id}`;
}

/** Takes the name of a stream apart. @throws Error if the text is not such a name. */
export function parseStreamName(name: StreamName): { category: string; team: string; id: string } {
  const dash = name.indexOf('-');
  const dot = name.indexOf('.', dash);
  if (dash < 1 || dot < dash + 2 || dot === name.length - 1) throw new Error(`not a stream name: ${name}`);
  return { category: name.slice(0, dash), team: name.slice(dash + 1, dot), id: name.slice(dot + 1) };
}

/** Returns the position of an item. `parent`: the position of the event that the feed yields before the items. */
export function itemPosition(parent: Position, ordinal: number): Position {
  return `${parent}-${String(ordinal).padStart(6, '0')}`;
}

/** Returns the position in the log: that of the event itself or, for an item, that of the event before the items. */
export function logPosition(position: Position): Position {
  return position.slice(0, POSITION_DIGITS);
}

/** Returns the ordinal of the item at this position, or null if the position is not that of an item. */
export function ordinalAt(position: Position): number | null {
  return position.length > POSITION_DIGITS ? Number(position.slice(POSITION_DIGITS + 1)) : null;
}

/** Returns the later of two positions. */
export function laterPosition(one: Position, other: Position): Position {
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
