/** Errors as each surface writes them: RFC 9457 problem documents on A, `{ error }` on B. */
import { errors, AppError, onSurfaceB } from '../../errors.js';
import { limits } from '../../limits.js';
import { PROBLEMS_BASE } from './pages.js';
import type { Reply } from '../route.js';

export type Surface = 'a' | 'b';

/** The surface of a path, whose form an error has. Paths of neither have the form of Surface A. */
export function surfaceOf(path: string): Surface {
  return /^\/(mcp\/?$|v1(\/(?!(test|blobs)(\/|$))|$))/.test(path) ? 'b' : 'a';
}

/** RFC 9110, section 11.6.1: every 401 names a scheme. `Bearer` may be left out of the Authorization header. */
const CHALLENGE = 'Bearer realm="testledger"';

/** The answer for an error. A client sees nothing of a fault of the server itself: only the log does. */
export function problemReply(surface: Surface, error: unknown, requestId: string): Reply {
  const isForClient = error instanceof AppError && errors[error.code].internal !== true;
  const shown = isForClient ? error : new AppError('internal', 'The server failed. Its log has the cause.');
  const { status, title } = errors[shown.code];
  const fields = shown.fields.slice(0, limits.namedFaults);
  // An unavailable part comes back: a client should not have to guess when to try again.
  const retryAfter = shown.retryAfter ?? (status === 503 ? 1 : undefined);
  const headers: Record<string, string> = {
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(status === 401 && { 'WWW-Authenticate': CHALLENGE }),
  };
  if (surface === 'a') {
    const body = {
      type: `${PROBLEMS_BASE}/${shown.code}`,
      title,
      status,
      detail: shown.message,
      code: shown.code,
      ...(fields.length > 0 && { errors: fields }),
      request_id: requestId,
    };
    return { status, body, headers, type: 'application/problem+json' };
  }
  const { code, reason } = onSurfaceB(shown.code);
  const details = {
    ...(reason !== undefined && { reason }),
    ...(fields.length > 0 && { errors: fields }),
    request_id: requestId,
  };
  return { status, body: { error: { code, message: shown.message, details } }, headers };
}
