/**
 * Points that several servers take from one allowance: each tells the others what it has taken. They hear of it up to
 * `SEND_EVERY_MS` later, so a burst may take a little more than the allowance, and the next points come later for that.
 */

export type SharedPoints = {
  /** Tells the others that this server has taken points of a key, or has given them back. */
  taken(key: string, points: number): void;
  /** `apply` gets what the others take. */
  onTakenElsewhere(apply: (key: string, points: number) => void): void;
};

/** For a server that shares its allowances with no other. */
export const unshared: SharedPoints = { taken: () => undefined, onTakenElsewhere: () => undefined };

export type TakenPoints = readonly (readonly [allowance: string, key: string, points: number])[];

export type PointExchange = {
  /** The points of one allowance. */
  of(allowance: string): SharedPoints;
  /** Applies what the others have taken, of allowances that this server has. */
  received(taken: TakenPoints): void;
  close(): void;
};

const SEND_EVERY_MS = 20;

/** `send` gets the points that were taken since the last call, if there are any. */
export function openPointExchange(send: (taken: TakenPoints) => void): PointExchange {
  const listeners = new Map<string, (key: string, points: number) => void>();
  /** By allowance and key: a busy key has one entry, however many requests it sends. */
  const unsent = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    timer = null;
    const taken = [...unsent].flatMap(([allowance, keys]) =>
      [...keys].map(([key, points]) => [allowance, key, points] as const),
    );
    unsent.clear();
    send(taken);
  }

  return {
    of: (allowance) => ({
      taken(key, points) {
        const keys = unsent.get(allowance) ?? new Map<string, number>();
        unsent.set(allowance, keys.set(key, (keys.get(key) ?? 0) + points));
        timer ??= setTimeout(flush, SEND_EVERY_MS).unref();
      },
      onTakenElsewhere: (apply) => void listeners.set(allowance, apply),
    }),
    received(taken) {
      for (const [allowance, key, points] of taken) listeners.get(allowance)?.(key, points);
    },
    close: () => clearTimeout(timer ?? undefined),
  };
}
