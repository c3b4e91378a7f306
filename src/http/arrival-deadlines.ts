/** Requests whose bodies are still arriving, and how long they may take: what trickles in must not hold a connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** At least so many bytes a second, from `graceMs` on. */
export type Pace = { graceMs: number; bytesPerSecond: number };

/** What is asked of one request, other than of all. */
type Terms = {
  withinMs?: number;
  pace?: Pace & {
    from: number;
    /** That its connection had read by then. */
    bytes: number;
    /** It was too slow when it was last looked at. */
    short: boolean;
  };
};

const others = new WeakMap<IncomingMessage, Terms>();

/** Lets one request take longer than others. */
export function allowTime(request: IncomingMessage, milliseconds: number): void {
  others.set(request, { withinMs: milliseconds });
}

/**
 * Asks one request, whose body was not read until now, for a pace: it holds what others wait for. Its time begins now.
 */
export function demandPace(request: IncomingMessage, pace: Pace): void {
  const from = performance.now();
  others.set(request, { pace: { ...pace, from, bytes: request.socket.bytesRead, short: false } });
}

export type ArrivalDeadlines = {
  began(request: IncomingMessage, response: ServerResponse): void;
  answered(response: ServerResponse): void;
  stop(): void;
};

/** `late` is told of a request that is not there in time and was not answered; one that was is cut off. */
export function watchArrivalDeadlines(
  withinMs: number,
  late: (response: ServerResponse) => void,
): ArrivalDeadlines {
  // One timer for all: each request's own would cost more than the rest of this.
  const arriving = new Map<ServerResponse, number>();
  const look = () => {
    const now = performance.now();
    for (const [response, began] of arriving) {
      const { req } = response;
      if (req.complete || req.destroyed) arriving.delete(response);
      else if (isLate(req, began, now)) {
        arriving.delete(response);
        // The rest of a body that was refused: its client has been told.
        if (response.headersSent) req.destroy();
        else late(response);
      }
    }
  };
  function isLate(request: IncomingMessage, began: number, now: number): boolean {
    const { withinMs: within = withinMs, pace } = others.get(request) ?? {};
    return now - (pace?.from ?? began) > within || (pace !== undefined && isTooSlow(request, pace, now));
  }
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

/** Twice in a row: where this process stood still, what has come in meanwhile was not read yet. */
function isTooSlow({ socket }: IncomingMessage, pace: NonNullable<Terms['pace']>, now: number): boolean {
  const due = ((now - pace.from - pace.graceMs) / 1_000) * pace.bytesPerSecond;
  const before = pace.short;
  pace.short = socket.bytesRead - pace.bytes < due;
  return before && pace.short;
}
