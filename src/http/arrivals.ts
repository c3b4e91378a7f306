/** Requests whose bodies are still arriving, and how long they may take: what trickles in must not hold a connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const longer = new WeakMap<IncomingMessage, number>();

/** Lets one request take longer than others. */
export function allowTime(request: IncomingMessage, milliseconds: number): void {
  longer.set(request, milliseconds);
}

export type Arrivals = {
  began(request: IncomingMessage, response: ServerResponse): void;
  answered(response: ServerResponse): void;
  stop(): void;
};

/** `late` is told of a request that is not there in time and was not answered; one that was is cut off. */
export function watchArrivals(withinMs: number, late: (response: ServerResponse) => void): Arrivals {
  // One timer for all: each request's own would cost more than the rest of this.
  const arriving = new Map<ServerResponse, number>();
  const look = () => {
    const now = performance.now();
    for (const [response, began] of arriving) {
      const { req } = response;
      if (req.complete || req.destroyed) arriving.delete(response);
      else if (now - began > (longer.get(req) ?? withinMs)) {
        arriving.delete(response);
        // The rest of a body that was refused: its client has been told.
        if (response.headersSent) req.destroy();
        else late(response);
      }
    }
  };
  const timer = setInterval(look, Math.min(1_000, withinMs / 4)).unref();
  return {
    began(request, response) {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      if (coding !== undefined || (length !== undefined && length !== '0')) {
        arriving.set(response, performance.now());
      }
    },
    answered(response) {
      // The body of a refused request may still be on its way.
      if (response.req.complete) arriving.delete(response);
    },
    stop: () => clearInterval(timer),
  };
}
