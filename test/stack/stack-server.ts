/** A server that tests share: a process of its own, with data of its own. */
export type StackServer = {
  url: string;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
};
