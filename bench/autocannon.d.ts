/** What the bench uses of autocannon, which comes without types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export type Request = { method: string; path: string; headers: Record<string, string>; body?: string };
  export type Client = { setRequests(requests: Request[]): void };
  export type Options = {
    url: string;
    connections: number;
    pipelining: number;
    /** Requests in all, shared out evenly among the connections. */
    amount: number;
    /** Seconds. */
    timeout: number;
    /** Milliseconds between two looks whether it is over. */
    sampleInt: number;
    requests: Request[];
    setupClient: (client: Client) => void;
  };
  export type Result = { errors: number; timeouts: number; non2xx: number; '2xx': number };

  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
