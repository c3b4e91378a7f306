/**
 * Evens out the connections of the workers. Each worker accepts connections by itself, so one of them may take most of a
 * burst. Clients such as CI shards keep their connections for minutes: the others would then stay idle.
 */

/** How often a worker tells the number of its connections that send requests. */
export const COUNT_EVERY_MS = 1_000;

/** Differences below this part of the mean, or below one connection, are left: each end costs a client a new connection. */
const TOLERATED = 0.15;

/** A worker that is silent for longer hangs: it would not take the connections that others end. */
const SILENT_MS = 3 * COUNT_EVERY_MS;

export type Balance<Worker> = {
  /** The worker listens. */
  up(worker: Worker): void;
  gone(worker: Worker): void;
  /** Takes the number of active connections of a worker; returns how many of them it should end. */
  told(worker: Worker, active: number): number;
};

type Told = { active: number; surplus: number; at: number };

/** `now`: in milliseconds. */
export function openBalance<Worker>(now = () => performance.now()): Balance<Worker> {
  const workers = new Map<Worker, Told>();
  return {
    up: (worker) => void workers.set(worker, { active: 0, surplus: 0, at: now() }),
    gone: (worker) => void workers.delete(worker),
    told(worker, active) {
      const before = workers.get(worker);
      // Its last message may come after its end.
      if (before === undefined) return 0;
      const at = now();
      const heard = [...workers].filter(([each, told]) => each !== worker && at - told.at <= SILENT_MS);
      const surplus = surplusOf(active, [active, ...heard.map(([, told]) => told.active)]);
      workers.set(worker, { active, surplus, at });
      // Twice in a row: of clients with few requests, one count shows only some, and differs by chance.
      return Math.min(surplus, before.surplus);
    },
  };
}

/** The number of connections that a worker has above the mean of all workers; 0 where the difference is tolerated. */
export function surplusOf(own: number, all: readonly number[]): number {
  const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
  const surplus = own - mean;
  return surplus < Math.max(1, TOLERATED * mean) ? 0 : Math.floor(surplus);
}
