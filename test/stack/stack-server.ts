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
