/** A message that an event causes, before it has its place in the outbox. */
import type { About } from './about.js';

export type Draft<A extends About> = {
  /**
   * The UUID that the message's `event_id` encodes, and the key of its stored document. It is unique to this type and
   * event: a second message under one UUID cannot be stored, and the history would stop at the event. To make one that is
   * not the event's own, derive it, as `transitionId` does.
   */
  uuid: string;
  /** Deliveries of one subject to one webhook keep their order. */
  subject: string;
  about: A;
  /** It is no event of the log, so its id has the prefix `message`. */
  isAlone?: true;
};
