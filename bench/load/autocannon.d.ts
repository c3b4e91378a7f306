/** The part of autocannon that the bench uses. The package has no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  export type Request = { method: string; path: string; headers: Record<string, string>; body?: string };
  export type Client = {
    setRequests(requests: Request[]): void;
    /** `headers`: names and values one after the other. */
    on(event: 'headers', take: (answer: { headers: readonly string[] }) => void): void;
    /** The socket of the present connection. Each new connection has another one. Not public. */
    conn: Socket;
    /** Sends the next request: after each answer, and as the first of a connection. Not public. */
    _doRequest(): void;
  };
  export type Options = {
    url: string;
    connections: number;
    pipelining: number;
    /** The number of requests, divided evenly among the connections. */
    amount: number;
    /** Seconds. */
    timeout: number;
    /** Milliseconds between two checks whether the load has ended. */
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
