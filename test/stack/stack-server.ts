/** A real server that the tests started: its own folder, its own loopback port. */
export type StackServer = {
  url: string;
  /** Like a crash: SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Again after `kill`, on the same port with the same data. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
};
