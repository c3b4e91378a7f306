/**
 * The meaning of the client's errors. Their class and name say little, and the error of a dead port has neither type
 * nor class.
 */
import { ErrorType } from '@eventstore/db-client';
import { AppError } from '../../errors.js';

export type Meaning =
  | 'wrong_revision'
  | 'too_large'
  /** There is no such stream. */
  | 'not_found'
  /** The stream was deleted for good. */
  | 'gone'
  | 'denied'
  | 'bad_position'
  /** No server answered, or the one that did could not say. Whether an append was stored is unknown. */
  | 'away';

/** The meaning of an error that a call of the client ended with. */
export function meaningOf(error: unknown): Meaning {
  const { type, message = '' } = error as { type?: ErrorType; message?: string };
  switch (type) {
    case ErrorType.WRONG_EXPECTED_VERSION:
      return 'wrong_revision';
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return 'too_large';
    case ErrorType.STREAM_NOT_FOUND:
    case ErrorType.NO_STREAM:
      return 'not_found';
    case ErrorType.STREAM_DELETED:
      return 'gone';
    case ErrorType.ACCESS_DENIED:
      return 'denied';
    default:
      // Newer servers have a limit for an event, too, and no type of error for it.
      if (message.includes('MaximumAppendEventSizeExceeded')) return 'too_large';
      return /invalid ?position/i.test(message) ? 'bad_position' : 'away';
  }
}

/**
 * True for an append of which nothing can have been stored. Either nothing was sent, as where the client could not reach
 * a server to ask for its kinds of append; or the server that got the append is not the leader, which alone writes.
 */
export function wasNotTaken(error: unknown): boolean {
  const { type, code, wasSent } = error as { type?: string; code?: number; wasSent?: false };
  return wasSent === false || (type === undefined && code === 14) || type === ErrorType.NOT_LEADER;
}

/** The error of an append that was not begun. */
export function notSent(message: string): Error {
  return Object.assign(new Error(message), { wasSent: false });
}

/** After such an error the client opens a new channel by itself, and asks the server again for its features. */
export function clientRenewsItself(error: unknown): boolean {
  const { type, code } = error as { type?: string; code?: number };
  return code === 14 || type === ErrorType.CANCELLED || type === ErrorType.NOT_LEADER;
}

/** An exception on the server, without a reason. A wrong position is one cause. */
export function isException(error: unknown): boolean {
  return (error as { code?: number }).code === GRPC_UNKNOWN;
}

const GRPC_UNKNOWN = 2;

/** The server answered, though perhaps without the outcome of the call. */
export function isAnswer(error: unknown): boolean {
  return meaningOf(error) !== 'away' || (error as { type?: string }).type === ErrorType.DEADLINE_EXCEEDED;
}

/** The error that the caller of the port gets. An error of ours stays as it is. */
export function toAppError(error: unknown, what: string): unknown {
  if (error instanceof AppError) return error;
  switch (meaningOf(error)) {
    case 'wrong_revision':
      return new AppError('wrong_revision', 'The stream is at another revision.', { cause: error });
    case 'too_large':
      return new AppError('payload_too_large', 'The events of one request are too large.', {
        cause: error,
      });
    case 'not_found':
    case 'gone':
      return new AppError('internal', `${what}: the stream was deleted`, { cause: error });
    case 'denied':
      return new AppError('log_unavailable', 'The event log refuses the credentials.', { cause: error });
    case 'bad_position':
      return new AppError('not_a_position', 'not a position of this log', { cause: error });
    case 'away':
      // Clients see the detail. The name of the stream goes to the server's log only.
      return new AppError('log_unavailable', 'The event log does not answer.', {
        cause: new Error(what, { cause: error }),
        retryAfter: 2,
      });
  }
}

export function closedLog(): AppError {
  return new AppError('log_unavailable', 'The event log is closed.');
}
