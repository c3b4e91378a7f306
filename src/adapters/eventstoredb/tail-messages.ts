/**
 * The messages between the main thread, which has the tail of a process, and its other threads. Each thread has a channel
 * of its own for its asks and their answers.
 */
import type { Position } from '../../domain/event.js';
import type { KnownEnd } from './read.js';

/**
 * From a thread, on the channel on which the main thread listens: its own channel is `thread`. `after`: the position from
 * which it would go on; null if it only wants to know where the log ends.
 */
export type Join = { thread: string; question: number; after: Position | null };

/** `end`: where the log ends; null where the events after the position are no longer kept, or not known yet. */
export type Joined = { question: number; end: KnownEnd | null };

/** From a thread: it has seen everything up to `after`. */
export type Ask = { question: number; after: Position };

/**
 * `events`: JSON of the next events. All of ours up to `covered` are among them; where that is the asked position, the
 * page is a sign of life. `covered` is null where the events after the position are no longer kept.
 */
export type Page = { question: number; events: string; covered: Position | null };

/** The messages on the channel of a thread. */
export type ThreadMessage =
  { type: 'joined'; joined: Joined } | { type: 'ask'; ask: Ask } | { type: 'page'; page: Page };

/** A thread without events gets a page after this time and up to twice as long. */
export const ALIVE_EVERY_MS = 500;

/** The channel on which the main thread listens. It does not leave the process, and a process has one password for a URL. */
export function joinChannel(url: string): string {
  return `testledger tail ${url}`;
}
