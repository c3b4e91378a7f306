/** From an error of NATS to the error that the log and the doctor show. */
import { ErrorCode, NatsError } from 'nats';

/** A code of JetStream's own answers: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const NO_SUCH_STREAM = 10_059;

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

/** An error that says where and why. Neither `shown` nor the errors of NATS hold credentials. */
export function natsError(shown: string, error: unknown): Error {
  return new Error(`NATS at ${shown} ${natsReason(error)}`, { cause: error });
}

export function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === NO_SUCH_STREAM;
}

function natsReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return reasons.get(codeOf(error)) ?? `refuses: ${text}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
