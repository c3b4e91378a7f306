/** Deadlines for requests whose bodies are still arriving: a slow sender must not hold a connection for ever. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The least speed of a body, required after `graceMs`. */
export type Pace = { graceMs: number; bytesPerSecond: number };

/** The rules of one request, in place of the general ones. */
type Terms = {
  withinMs?: number;
  pace?: Pace & {
    from: number;
    /** The bytes that its connection had read at `from`. */
    bytes: number;
    /** True if it was too slow at the last check. */
    behind: boolean;
  };
};

const ownTerms = new WeakMap<IncomingMessage, Terms>();

/** Lets one request take longer than others. */
export function allowTime(request: IncomingMessage, milliseconds: number): void {
  ownTerms.set(request, { withinMs: milliseconds });
}

/**
 * Requires a pace of one request, because others wait for its slot. Its time begins now, as its body was not read so far.
 */
export function demandPace(request: IncomingMessage, pace: Pace): void {
  const from = performance.now();
  ownTerms.set(request, { pace: { ...pace, from, bytes: request.socket.bytesRead, behind: false } });
}

/** Required of bodies from this size on, since others wait for their memory. */
const PACED_BYTES = 256 * 1_024;
const BODY_PACE: Pace = { graceMs: 10_000, bytesPerSecond: 16 * 1_024 };

/** Requires a pace of a request whose body has reserved memory. `most`: the most bytes of the body. */
export function demandBodyPace(request: IncomingMessage, most: number): void {
  if (most >= PACED_BYTES) demandPace(request, BODY_PACE);
}

export type ArrivalDeadlines = {
  began(request: IncomingMessage, response: ServerResponse): void;
  answered(response: ServerResponse): void;
  stop(): void;
};

/**
 * Checks all requests that are arriving. `late` gets the response of a request that was not answered and missed its
 * deadline; an answered request is cut off.
 */
export function watchArrivalDeadlines(
  withinMs: number,
  late: (response: ServerResponse) => void,
): ArrivalDeadlines {
  // One timer for all requests: a timer for each would cost more than all the rest here.
  const arriving = new Map<ServerResponse, number>();
  const look = () => {
    const now = performance.now();
    for (const [response, began] of arriving) {
      const { req } = response;
      if (req.complete || req.destroyed) arriving.delete(response);
      else if (isLate(req, began, now)) {
        arriving.delete(response);
        // The rest of a refused body: its client has its answer.
        if (response.headersSent) req.destroy();
        else late(response);
      }
    }
  };
  function isLate(request: IncomingMessage, began: number, now: number): boolean {
    const { withinMs: within = withinMs, pace } = ownTerms.get(request) ?? {};
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

/** True at the second check in a row: after a stall of this process, bytes that arrived meanwhile are not read yet. */
function isTooSlow({ socket }: IncomingMessage, pace: NonNullable<Terms['pace']>, now: number): boolean {
  const due = ((now - pace.from - pace.graceMs) / 1_000) * pace.bytesPerSecond;
  const wasBehind = pace.behind;
  pace.behind = socket.bytesRead - pace.bytes < due;
  return wasBehind && pace.behind;
}
