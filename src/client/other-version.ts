/** Says that a server and this client are of different versions. */
import { version } from '../version.js';
import type { Fetch } from './send.js';

/** On every answer of the API. */
const HEADER = 'testledger-version';

/**
 * A `fetch` that says once, on stderr, that the server differs by a minor version or more. The client goes on: it works
 * with all servers of its major version. `own`: tests set it.
 */
export function tellingOtherVersion(
  fetch: Fetch,
  base: string,
  { own = version, tell = toStderr } = {},
): Fetch {
  let told = false;
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (told) return answer;
    const notice = otherVersion(answer.headers.get(HEADER) ?? null, { base, own });
    if (notice !== null) tell(notice);
    told = notice !== null;
    return answer;
  };
}

/** Null where both are of one minor version, or the server does not say which it is. */
export function otherVersion(
  server: string | null,
  { base, own = version }: { base: string; own?: string },
): string | null {
  if (server === null || !/^\d+\.\d+\./.test(server) || minorOf(server) === minorOf(own)) return null;
  return `testledger: the server is of version ${server}, this client of ${own}; its own is at ${base}/clients/`;
}

function minorOf(text: string): string {
  return text.split('.', 2).join('.');
}

function toStderr(notice: string): void {
  process.stderr.write(`${notice}\n`);
}
