/** A source of the tail that is preferred, and another one for the times when it cannot be followed. */
import { laterPosition, type Position } from '../../domain/event.js';
import type { Following, TailHandlers, TailSource } from './tail-source.js';

/** A source that can be followed at some times and from some positions only. */
export type PreferredSource = TailSource & {
  /** Whether it has everything after the position. */
  canFollow(after: Position): Promise<boolean>;
};

const BACK_AFTER_MS = 1_000;

type Use = { source: TailSource; following: Following };

/**
 * The preferred source while it can be followed, otherwise the fallback. `startsPreferred`: it is known that it can be.
 * Where the caller stopped the preferred one, because it was silent, the fallback goes on next.
 */
export function withFallback(
  preferred: PreferredSource,
  fallback: TailSource,
  { startsPreferred }: { startsPreferred: boolean },
): TailSource {
  // Null: it must be asked.
  let begins: TailSource | null = startsPreferred ? preferred : fallback;

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
          // Not reported: the fallback goes on from there, and its own failure is.
          if (source === preferred) changeTo(fallback);
          else handlers.failed(error);
        },
      });
      if (stopped || current !== begun) await begun.following.stop();
      else if (source === fallback) goBackLater();
    }

    function changeTo(source: TailSource): void {
      const ended = current;
      if (stopped || ended?.source === source) return;
      clearTimeout(timer);
      // After that, it passes nothing on.
      void ended?.following.stop();
      use(source).catch(handlers.failed);
    }

    function goBackLater(): void {
      timer = setTimeout(() => void goBack(), BACK_AFTER_MS).unref();
    }

    async function goBack(): Promise<void> {
      const can = await preferred.canFollow(reached);
      if (stopped) return;
      if (can) changeTo(preferred);
      else goBackLater();
    }

    await use(begins ?? ((await preferred.canFollow(after)) ? preferred : fallback));
    return {
      async stop() {
        stopped = true;
        clearTimeout(timer);
        begins = current?.source === preferred ? fallback : null;
        await current?.following.stop();
      },
    };
  }

  return { follow };
}
