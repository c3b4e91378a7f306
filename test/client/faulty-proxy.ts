/** A proxy whose faults a test plans, request by request. */
import { testProxy, type Decision, type Seen } from '../kit/proxy.js';

const notNow = (status: 429 | 503, code: string): Decision => ({
  status,
  headers: { 'retry-after': '1', 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code, message: 'Not now.', details: {} } }),
});

const faults = {
  closed: 'closed',
  unanswered: 'unanswered',
  cut: 'cut',
  silent: 'silent',
  /** The server does its work, and the answer is not JSON. */
  'not json': ({ status, body }) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: body.slice(0, body.length / 2),
  }),
  /** The server does its work, and the page of a proxy says that it did not. */
  'page of a proxy': () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<h1>Bad Gateway</h1>',
  }),
  /** Refused for now, with a `Retry-After`. */
  429: notNow(429, 'rate_limited'),
  503: notNow(503, 'unavailable'),
} as const satisfies Record<string, Decision>;

export type Fault = keyof typeof faults;

export type ProxiedRequest = Seen & { at: number };

/** Declares a proxy for the tests of the block around it. */
export function faultyProxy(target: () => string) {
  let planned: (Fault | null)[] = [];
  let requests: ProxiedRequest[] = [];
  const proxy = testProxy(target, (seen) => {
    const fault = planned.shift() ?? null;
    requests.push({ ...seen, at: performance.now() });
    return fault === null ? 'pass' : faults[fault];
  });
  return {
    get url() {
      return proxy.url;
    },
    /** The faults of the next requests in order; null for none. Then every request is passed on. */
    plan(next: readonly (Fault | null)[]) {
      planned = [...next];
      requests = [];
    },
    /** The requests since the last plan. */
    get requests(): readonly ProxiedRequest[] {
      return requests;
    },
  };
}
