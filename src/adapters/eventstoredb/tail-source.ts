/** Where a tail gets its events from: a subscription of its own, or the tail of the main thread of its process. */
import { laterPosition, type Position } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { toOwnEvent, type OwnEvent } from './event.js';
import type { StreamNames } from './names.js';
import { positionOf } from './read.js';
import { subscribe } from './subscription.js';

export type TailSource = {
  /** Passes on everything after a position, in order, until it fails or is stopped. */
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
export function fromServer(connection: Connection, names: StreamNames): TailSource {
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

/** A source that can be followed at some times and from some positions only. */
export type PreferredSource = TailSource & {
  /** Whether it has everything after the position. */
  canFollow(after: Position): Promise<boolean>;
};

const BACK_AFTER_MS = 1_000;

type Use = { source: TailSource; following: Following };

/**
 * The first source while it can be followed, otherwise the second one. `firstAtOnce`: it is known that it can be. Where
 * the caller stopped the first one, because it was silent, the second one goes on next.
 */
export function preferring(
  first: PreferredSource,
  second: TailSource,
  { firstAtOnce }: { firstAtOnce: boolean },
): TailSource {
  let begins: TailSource = firstAtOnce ? first : second;

  async function follow(after: Position, handlers: TailHandlers): Promise<Following> {
    let reached = after;
    let current: Use | null = null;
    let stopped = false;
    let timer: NodeJS.Timeout | undefined;

    async function use(source: TailSource): Promise<void> {
      const begun: Use = { source, following: { stop: async () => undefined } };
      current = begun;
      begun.following = await source.follow(reached, {
        event(each) {
          reached = laterPosition(reached, each.event.position);
          handlers.event(each);
        },
        covered(to) {
          reached = laterPosition(reached, to);
          handlers.covered(to);
        },
        failed(error) {
          if (source === first) changeTo(second);
          else handlers.failed(error);
        },
      });
      if (stopped || current !== begun) await begun.following.stop();
      else if (source === second) goBackLater();
    }

    function changeTo(source: TailSource): void {
      const ended = current;
      if (stopped || ended?.source === source) return;
      clearTimeout(timer);
      // It passes nothing on once it is told to stop.
      void ended?.following.stop();
      use(source).catch(handlers.failed);
    }

    function goBackLater(): void {
      timer = setTimeout(() => void goBack(), BACK_AFTER_MS).unref();
    }

    async function goBack(): Promise<void> {
      const can = await first.canFollow(reached);
      if (stopped) return;
      if (can) changeTo(first);
      else goBackLater();
    }

    await use(begins);
    begins = first;
    return {
      async stop() {
        stopped = true;
        clearTimeout(timer);
        if (current?.source === first) begins = second;
        await current?.following.stop();
      },
    };
  }

  return { follow };
}
