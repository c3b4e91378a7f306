/** From an error of MongoDB to the error that the caller of a port gets. */
import { BSON, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { isAppError, AppError, type ErrorCode } from '../../errors.js';

type StoreCode = ErrorCode & `${string}_unavailable`;

/** Seconds. A replica set without a primary takes about this long to elect one. */
const SOON = 5;

/**
 * A command that MongoDB refuses for its form or its size is a mistake of ours. Other errors come from the server or
 * the network.
 */
const mistakes = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  52, // DollarPrefixedFieldName
  10334, // BSONObjectTooLarge
  11000, // DuplicateKey
  17280, // KeyTooLong
  40324, // an unknown stage
]);

/** The AppError for an error of the driver or the server. Any other error stays as it is. */
export function mongoError(code: StoreCode, error: unknown): unknown {
  if (isUnsent(error)) return unavailable(code, error);
  if (isAppError(error) || !(error instanceof MongoError || error instanceof BSON.BSONError)) return error;
  const mistake =
    error instanceof BSON.BSONError ||
    error instanceof MongoInvalidArgumentError ||
    (error instanceof MongoServerError && mistakes.has(Number(error.code)));
  if (mistake) return new AppError('internal', `MongoDB: ${error.message}`, { cause: error });
  return unavailable(code, error);
}

function unavailable(code: StoreCode, error: Error): AppError {
  // Clients see the detail. The driver's message names hosts, and goes to the server's log only.
  return new AppError(code, 'MongoDB is not available now.', { cause: error, retryAfter: SOON });
}

export function notReplicated(code: StoreCode): AppError {
  const detail = 'MongoDB is not a replica set. Transactions need one; a single member is enough.';
  return new AppError(code, detail, { retryAfter: SOON });
}

export function tooLate(code: StoreCode, limitMs: number): AppError {
  return new AppError(code, `MongoDB did not answer within ${limitMs} ms`, { retryAfter: SOON });
}

/** A unique index refused a document. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}

/** A collection was dropped or made during a read: reading again is safe. */
export function isMoved(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    // NamespaceNotFound, CursorNotFound, QueryPlanKilled, SnapshotUnavailable
    [26, 43, 175, 246].includes(Number(error.code))
  );
}

/** The server refused the command without doing any of it, because it is not the primary, or no longer. */
export function isTurnedAway(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    // NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
    [10107, 13435, 13436].includes(Number(error.code)) &&
    !error.hasErrorLabel('UnknownTransactionCommitResult')
  );
}

/** The user has no right to do that. */
export function isDenied(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 13;
}

/**
 * The connection broke before the whole command was written to it, so the server has not run it. The driver passes on
 * the socket's error, without a label, and does not try again.
 */
export function isUnsent(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof MongoError || !('code' in error)) return false;
  const broken = ['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'];
  return broken.includes(String(error.code));
}
