/** Where a tail gets its events from: a subscription of its own, or the tail of the main thread of its process. */
import { laterPosition, type Position } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { toOwnEvent, type OwnEvent } from './event.js';
import type { StreamNames } from './names.js';
import { positionOf } from './read.js';
import { subscribe } from './subscription.js';

export type TailSource = {
  /**
   * Passes on everything after a position, in order, until it fails or is stopped. Rejects where there is nothing to
   * follow with.
   */
  follow(after: Position, handlers: TailHandlers): Promise<Following>;
};

export type Following = { stop(): Promise<void> };

export type TailHandlers = {
  event(each: OwnEvent): void;
  /** All events of ours up to there have been passed on. */
  covered(position: Position): void;
  /** Nothing more comes. */
  failed(error: unknown): void;
};

/** A subscription to the server. */
export function serverSource(connection: Connection, names: StreamNames): TailSource {
  const { onServer } = names.filter(undefined);
  return {
    follow: async (after, { event, covered, failed }) => {
      const client = await connection.client();
      let reached = after;
      const advance = (to: Position): void => covered((reached = laterPosition(reached, to)));
      return subscribe(client, after, onServer!, {
        event(resolved) {
          const each = toOwnEvent(names, resolved);
          if (each !== null) event(each);
          advance(positionOf(resolved));
        },
        checkpoint: advance,
        caughtUp: () => undefined,
        failed,
      });
    },
  };
}
