/** What an error of MongoDB means to those who call the port of a store. */
import { BSON, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { isLedgerError, LedgerError, type ErrorCode } from '../../errors.js';

type StoreCode = ErrorCode & `${string}_unavailable`;

/** Seconds: a replica set without a primary elects one in about as many. */
const SOON = 5;

/** What MongoDB refuses for its wording or its size is our mistake; the rest is the server's, or the network's. */
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

/** The LedgerError for an error of the driver or the server; any other error as it is. */
export function storeError(code: StoreCode, error: unknown): unknown {
  if (isUnsent(error)) return unavailable(code, error);
  if (isLedgerError(error) || !(error instanceof MongoError || error instanceof BSON.BSONError)) return error;
  const mistake =
    error instanceof BSON.BSONError ||
    error instanceof MongoInvalidArgumentError ||
    (error instanceof MongoServerError && mistakes.has(Number(error.code)));
  if (mistake) return new LedgerError('internal', `MongoDB: ${error.message}`, { cause: error });
  return unavailable(code, error);
}

function unavailable(code: StoreCode, error: Error): LedgerError {
  // Clients are told the detail; what the driver says names hosts, and is for the log.
  return new LedgerError(code, 'MongoDB cannot do it now.', { cause: error, retryAfter: SOON });
}

export function notReplicated(code: StoreCode): LedgerError {
  const detail = 'MongoDB is no replica set. Transactions need one; a single member will do.';
  return new LedgerError(code, detail, { retryAfter: SOON });
}

export function tooLate(code: StoreCode, limitMs: number): LedgerError {
  return new LedgerError(code, `MongoDB did not answer within ${limitMs} ms`, { retryAfter: SOON });
}

/** A unique index refused a document. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}

/** A collection went away, or came, in the middle of a read: it is no fault to read again. */
export function isMoved(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    // NamespaceNotFound, CursorNotFound, QueryPlanKilled, SnapshotUnavailable
    [26, 43, 175, 246].includes(Number(error.code))
  );
}

/** The server turned the command away without doing anything of it: it is not the primary, or not any more. */
export function isTurnedAway(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    // NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
    [10107, 13435, 13436].includes(Number(error.code)) &&
    !error.hasErrorLabel('UnknownTransactionCommitResult')
  );
}

/** This user may not do that. */
export function isDenied(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 13;
}

/**
 * The connection broke before all of a command was written to it, so that the server has not done it. The driver gives
 * such an error as the socket had it, without a label, and does not try again.
 */
export function isUnsent(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof MongoError || !('code' in error)) return false;
  const broken = ['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'];
  return broken.includes(String(error.code));
}
