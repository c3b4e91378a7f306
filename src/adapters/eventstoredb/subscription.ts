/** A subscription to the log of a server, whose events, checkpoints and end arrive in order. */
import type {
  AllStreamResolvedEvent,
  AllStreamSubscription,
  EventStoreDBClient,
  Filter,
  Position as ServerPosition,
} from '@eventstore/db-client';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../../domain/event.js';
import type { Checkpoints } from './names.js';
import { positionOfCommit, toServerPosition } from './event.js';

export type SubscriptionHandlers = {
  event(event: AllStreamResolvedEvent): void;
  /** All events up to there have been passed on, or were filtered out. A subscription may start there again. */
  checkpoint(position: Position): void;
  /** Everything that was in the log when the subscription began has been passed on. May come again. */
  caughtUp(): void;
  /** Nothing more comes, because of an error or the end of the connection. */
  failed(error: unknown): void;
};

/** How many events the server reads between two checkpoints. With fewer, its filter is far slower. */
const maxSearchWindow = 1_000;
const ENDING_MS = 1_000;

export type Subscription = {
  /**
   * Passes nothing on until `resume`, except its failure. What has come meanwhile waits, and the client then takes
   * nothing more from the server.
   */
  pause(handlers: Pick<SubscriptionHandlers, 'failed'>): void;
  /** Goes on, for other handlers. `caughtUp` may then speak of any time before the resume. */
  resume(handlers: SubscriptionHandlers): void;
  /** One that is only abandoned stays open on the server, and after 100 of those nothing in the process works. */
  stop(): Promise<void>;
};

/** Subscribes to everything after a position. */
export function subscribe(
  client: EventStoreDBClient,
  after: Position,
  filter: (checkpoints: Checkpoints) => Filter,
  first: SubscriptionHandlers,
): Subscription {
  let handlers = first;
  let stopped = false;
  /** Resolves when the subscription goes on, or is stopped; null while it is not paused. */
  let pause: { ended: Promise<void>; end(): void } | null = null;
  let waitsForCaughtUp = false;
  const subscription: AllStreamSubscription = client.subscribeToAll({
    fromPosition: toServerPosition(after),
    filter: filter({ maxSearchWindow, checkpointReached: passOnCheckpoint }),
  });

  // The client announces checkpoints, and the end of the history, before events that it still holds. It takes nothing
  // more while it waits here: otherwise the server would search on through a long history for a page that is full.
  async function passOnCheckpoint(_: unknown, { commit, prepare }: ServerPosition): Promise<void> {
    while ((subscription.readableLength > 0 || pause !== null) && !stopped)
      await (pause === null ? setImmediate() : pause.ended);
    // A position is kept as one number. The two differ only in transactions of very old clients.
    if (!stopped && commit === prepare) handlers.checkpoint(positionOfCommit(commit));
  }

  function passOnCaughtUp(): void {
    if (!waitsForCaughtUp || stopped || pause !== null || subscription.readableLength > 0) return;
    waitsForCaughtUp = false;
    handlers.caughtUp();
  }

  function fail(error: unknown): void {
    if (!stopped) handlers.failed(error);
  }

  subscription.on('data', (event) => {
    if (stopped) return;
    handlers.event(event);
    passOnCaughtUp();
  });
  subscription.on('caughtUp', () => {
    waitsForCaughtUp = !stopped;
    passOnCaughtUp();
  });
  // Stays on: an error without a listener would end the process.
  subscription.on('error', fail);
  const ended = () => fail(new Error('the subscription was ended'));
  subscription.on('end', ended);
  subscription.on('close', ended);

  return {
    pause({ failed }) {
      // The handlers of a page hold its events.
      handlers = { event: ignored, checkpoint: ignored, caughtUp: ignored, failed };
      pause = openPause();
      subscription.pause();
    },
    resume(next) {
      handlers = next;
      const before = pause;
      pause = null;
      before?.end();
      subscription.resume();
      passOnCaughtUp();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      pause?.end();
      subscription.pause();
      // A subscription that never opened has nothing to end. One that is still opening ends later.
      const ending = subscription.unsubscribe().catch(() => undefined);
      await Promise.race([ending, sleep(ENDING_MS, undefined, { ref: false })]);
      subscription.destroy();
    },
  };
}

function ignored(): void {}

function openPause(): { ended: Promise<void>; end(): void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}
