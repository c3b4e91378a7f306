/** A real server that the tests have started, with its own folder and loopback port. */
export type StackServer = {
  url: string;
  /** SIGKILL, like a crash. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port with the same data. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
};

/**
 * Starts servers side by side. Where one does not start, the others are stopped: a child that runs keeps mocha from
 * ending.
 */
export async function startAll<const S extends readonly StackServer[]>(starting: {
  [K in keyof S]: Promise<S[K]>;
}): Promise<S> {
  const settled = await Promise.allSettled(starting);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed === undefined) return Promise.all(starting);
  for (const one of settled) if (one.status === 'fulfilled') await one.value.stop();
  throw failed.reason;
}
