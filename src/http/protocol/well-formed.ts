/** Rules of HTTP that the parser of Node leaves to the server (RFC 9110, RFC 9112). */
import type { IncomingMessage } from 'node:http';
import { fail } from '../../errors.js';

/** RFC 3986, section 3.2.2, with an optional port. It may be empty: a URL without an authority has such a Host. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Checks what every request must have, whatever its route. A request that two servers can read in two ways would let
 * one of them be passed by.
 * @throws AppError `malformed_request`, `expectation_failed`, `not_implemented`, `http_version_not_supported`.
 */
export function mustBeWellFormed(request: IncomingMessage): void {
  const { headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) {
    fail('http_version_not_supported', `The request has HTTP ${request.httpVersion}, and not 1.1 or 1.0.`);
  }
  mustHaveOneHost(request);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    fail('not_implemented', 'The only Transfer-Encoding is chunked. Compress with Content-Encoding.');
  }
  // HTTP/1.0 does not have this header.
  if (headers.expect !== undefined && httpVersionMinor === 1 && !/^100-continue$/i.test(headers.expect)) {
    fail('expectation_failed', 'The only Expect header is 100-continue.');
  }
}

/** Node keeps the first of two Host lines in `headers`, so they are counted in the raw ones. */
function mustHaveOneHost({ rawHeaders, headers: { host }, httpVersionMinor }: IncomingMessage): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) fail('malformed_request', 'The request has more than one Host header.');
  if (host === undefined && httpVersionMinor === 1) fail('malformed_request', 'The Host header is missing.');
  if (host === undefined || host === lastHost) return;
  if (!HOST.test(host)) fail('malformed_request', 'The Host header is not a host.');
  lastHost = host;
}

/** The last one that was a host: nearly all requests name the same. */
let lastHost: string | null = null;
