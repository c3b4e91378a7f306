/** The port of a broadcast, which tells all servers on the same stores something. `test/adapters/nats/broadcast.stack.ts` tests its promises. */

export type Broadcast = {
  /** Goes to the others that are connected now, in order, at most once. Never throws: what cannot be sent is lost. */
  send(data: Uint8Array): void;
  close(): Promise<void>;
};

/** `received` gets what the others send; what this one sends does not come back. */
export type BroadcastOptions = {
  received: (data: Uint8Array) => void;
  /** Receives the error with which an outage begins; it goes on by itself. */
  report: (error: unknown) => void;
};
