/** What an error of the client means. Its class and name say little, and a dead port's has neither type nor class. */
import { ErrorType } from '@eventstore/db-client';
import { LedgerError } from '../../errors.js';

export type Meaning =
  | 'wrong_revision'
  | 'too_large'
  /** No such stream. */
  | 'not_found'
  /** The stream was deleted for good. */
  | 'gone'
  | 'denied'
  | 'bad_position'
  /** Nobody answered, or who answered could not say: of an append, whether it was stored is not known. */
  | 'away';

/** Of an error that a call of the client ended with. */
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
      return /invalid ?position/i.test(message) ? 'bad_position' : 'away';
  }
}

/**
 * An append of which nothing can have been stored: the client found nobody to ask which kinds of append there are, and
 * sent nothing; or who got it is not the one that writes.
 */
export function wasNotTaken(error: unknown): boolean {
  const { type, code } = error as { type?: string; code?: number };
  return (type === undefined && code === 14) || type === ErrorType.NOT_LEADER;
}

/** The client itself takes a new channel after this one, and asks anew what the server can do. */
export function clientRenewsItself(error: unknown): boolean {
  const { type, code } = error as { type?: string; code?: number };
  return code === 14 || type === ErrorType.CANCELLED || type === ErrorType.NOT_LEADER;
}

/** An exception on the server, which says no more: one of the ways in which it takes a position for none. */
export function isException(error: unknown): boolean {
  return (error as { code?: number }).code === GRPC_UNKNOWN;
}

const GRPC_UNKNOWN = 2;

/** The server was there to say this, though it does not say how it went. */
export function isAnswer(error: unknown): boolean {
  return meaningOf(error) !== 'away' || (error as { type?: string }).type === ErrorType.DEADLINE_EXCEEDED;
}

/** @returns what the caller of the port is told; an error of ours stays as it is. */
export function toLedgerError(error: unknown, what: string): unknown {
  if (error instanceof LedgerError) return error;
  switch (meaningOf(error)) {
    case 'wrong_revision':
      return new LedgerError('wrong_revision', 'The stream is at another revision', { cause: error });
    case 'too_large':
      return new LedgerError('payload_too_large', 'The events of one request are too large.', {
        cause: error,
      });
    case 'not_found':
    case 'gone':
      return new LedgerError('internal', `${what}: the stream was deleted`, { cause: error });
    case 'denied':
      return new LedgerError('log_unavailable', 'The event log refuses our credentials', { cause: error });
    case 'bad_position':
      return new LedgerError('not_a_position', 'not a position of this log', { cause: error });
    case 'away':
      // Clients are told the detail; the names of streams are for the log.
      return new LedgerError('log_unavailable', 'The event log does not answer.', {
        cause: new Error(what, { cause: error }),
        retryAfter: 2,
      });
  }
}

export function closedLog(): LedgerError {
  return new LedgerError('log_unavailable', 'The event log is closed');
}
