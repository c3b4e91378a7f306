/** From an error of NATS to the error that the caller of the bus gets. */
import { ErrorCode, NatsError } from 'nats';
import { isLedgerError, LedgerError } from '../../errors.js';

/** The codes of JetStream's own answers: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const NO_SUCH_STREAM = 10_059;
const NO_SUCH_CONSUMER = 10_014;
const NO_SUCH_MESSAGE = 10_037;

const NO_RESPONDERS: string = ErrorCode.NoResponders;

const UNREACHABLE = 'cannot be reached';
const SILENT = 'does not answer';
const REFUSED = 'refuses the credentials';
const LOST = 'closed the connection';

const reasons = new Map<string, string>([
  [ErrorCode.ConnectionRefused, UNREACHABLE],
  ['ECONNREFUSED', UNREACHABLE],
  ['ENOTFOUND', UNREACHABLE],
  ['EAI_AGAIN', UNREACHABLE],
  [ErrorCode.Timeout, SILENT],
  [ErrorCode.ConnectionTimeout, SILENT],
  [ErrorCode.AuthorizationViolation, REFUSED],
  [ErrorCode.BadAuthentication, REFUSED],
  [ErrorCode.AuthenticationExpired, REFUSED],
  [ErrorCode.AuthenticationTimeout, REFUSED],
  [ErrorCode.AccountExpired, REFUSED],
  [ErrorCode.ConnectionClosed, LOST],
  [ErrorCode.Disconnect, LOST],
  ['ECONNRESET', LOST],
  [NO_RESPONDERS, 'has no JetStream, or is not ready'],
]);

/**
 * The LedgerError `bus_unavailable`, which says where and why. Neither `shown` nor the errors of NATS hold credentials.
 */
export function busError(shown: string, error: unknown): LedgerError {
  if (isLedgerError(error)) return error;
  return new LedgerError('bus_unavailable', `NATS at ${shown} ${natsReason(error)}`, {
    cause: error,
    retryAfter: 1,
  });
}

/** No server answers a request for a missing stream. */
export function isStreamMissing(error: unknown): boolean {
  return apiCode(error) === NO_SUCH_STREAM || codeOf(error) === NO_RESPONDERS;
}

export function isConsumerMissing(error: unknown): boolean {
  return apiCode(error) === NO_SUCH_CONSUMER;
}

export function isMessageMissing(error: unknown): boolean {
  return apiCode(error) === NO_SUCH_MESSAGE;
}

function natsReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return reasons.get(codeOf(error)) ?? `refuses: ${text}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function apiCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}
