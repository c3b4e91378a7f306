/** The end of a call that fails: a status and its trailers, as the client reads them. */
import { Metadata, status, type ServerErrorResponse } from '@grpc/grpc-js';

/** A larger message ends its call. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Replaces a message that is too large: the library's own refusal has another text than the real server's. */
export type TooLarge = 'too large';

/** For errors that the real server does not expect either. */
export function handlerFailed(): ServerErrorResponse {
  return failure(status.UNKNOWN, 'Exception was thrown by handler.');
}

export function unexpectedResult(result: string): ServerErrorResponse {
  return failure(status.UNKNOWN, `Unexpected ${result}`);
}

export function invalidPosition(): ServerErrorResponse {
  return failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}

export function consumerTooSlow(): ServerErrorResponse {
  const why = 'Consumer too slow to handle event while live. Client resubscription required.';
  return failure(status.ABORTED, `Operation timed out: ${why}`);
}

export function messageTooLarge(): ServerErrorResponse {
  return failure(status.RESOURCE_EXHAUSTED, 'Received message exceeds the maximum configured message size.');
}

export function streamDeleted(stream: string): ServerErrorResponse {
  return failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function appendTooLarge(most: number): ServerErrorResponse {
  return failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(most),
  });
}

export function wrongVersionOfDelete(stream: string, expected: number, actual: number): ServerErrorResponse {
  const versions = `Expected version: ${expected}, Actual version: ${actual}`;
  const details = `Delete failed due to WrongExpectedVersion. Stream: ${stream}, ${versions}`;
  return failure(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expected),
    'actual-version': String(actual),
  });
}

function failure(code: status, details: string, trailers: Record<string, string> = {}): ServerErrorResponse {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, asHeader(value));
  return Object.assign(new Error(details), { code, details, metadata });
}

/** A header must be ASCII: any other name would fail the call with another error. */
function asHeader(value: string): string {
  return value.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
