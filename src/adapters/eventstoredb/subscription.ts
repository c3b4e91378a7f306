/** A subscription to the log of a server, told in order. */
import type {
  AllStreamResolvedEvent,
  AllStreamSubscription,
  EventStoreDBClient,
  Filter,
  Position as ServerPosition,
} from '@eventstore/db-client';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../../domain/event.js';
import type { Checkpoints } from './names.js';
import { toPosition, toServerPosition } from './event.js';

export type Told = {
  event(event: AllStreamResolvedEvent): void;
  /** All events up to there have been told, or were sifted out. A subscription may start there again. */
  checkpoint(position: Position): void;
  /** All that lay in the log when the subscription began has been told. May come again. */
  caughtUp(): void;
  /** Nothing comes any more: an error, or the end of the connection. */
  failed(error: unknown): void;
};

/** Events that the server looks at between two checkpoints: with fewer it sifts far slower. */
const maxSearchWindow = 1_000;
const ENDING_MS = 1_000;

/**
 * Subscribes to what comes after a position. Answers the function that ends it: one that is only left stays open on
 * the server's side, and after 100 of those nothing in the process works.
 */
export function subscribe(
  client: EventStoreDBClient,
  after: Position,
  filter: (checkpoints: Checkpoints) => Filter,
  told: Told,
): () => Promise<void> {
  let stopped = false;
  let waitsForCaughtUp = false;
  const subscription: AllStreamSubscription = client.subscribeToAll({
    fromPosition: toServerPosition(after),
    filter: filter({ maxSearchWindow, checkpointReached }),
  });

  // The client tells of checkpoints, and of having caught up, ahead of events that it still holds.
  async function checkpointReached(_: unknown, { commit, prepare }: ServerPosition): Promise<void> {
    while (subscription.readableLength > 0 && !stopped) await setImmediate();
    // Positions are kept as one number; the two differ only in transactions of very old clients.
    if (!stopped && commit === prepare) told.checkpoint(toPosition(commit));
  }

  function tellCaughtUp(): void {
    if (!waitsForCaughtUp || subscription.readableLength > 0) return;
    waitsForCaughtUp = false;
    told.caughtUp();
  }

  function fail(error: unknown): void {
    if (!stopped) told.failed(error);
  }

  subscription.on('data', (event) => {
    if (stopped) return;
    told.event(event);
    if (!stopped) tellCaughtUp();
  });
  subscription.on('caughtUp', () => {
    waitsForCaughtUp = !stopped;
    tellCaughtUp();
  });
  // Stays on: an error without a listener would end the process.
  subscription.on('error', fail);
  const ended = () => fail(new Error('the subscription was ended'));
  subscription.on('end', ended);
  subscription.on('close', ended);

  return async () => {
    if (stopped) return;
    stopped = true;
    subscription.pause();
    // Where it could not even be opened, there is nothing to end; where it is still being opened, it ends later.
    const ending = subscription.unsubscribe().catch(() => undefined);
    await Promise.race([ending, pause(ENDING_MS, undefined, { ref: false })]);
    subscription.destroy();
  };
}
