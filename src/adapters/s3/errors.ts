/** What S3 stores answer, as the port tells it. */
import { fail } from '../../errors.js';

type S3Fault = { name?: string; $metadata?: { httpStatusCode?: number } };

/** The object is not there. A bucket that is not there is a fault of whoever set it up, not an answer. */
export function isNotThere(error: unknown): boolean {
  const { name, $metadata } = error as S3Fault;
  return name !== 'NoSuchBucket' && $metadata?.httpStatusCode === 404;
}

/** The object is another one by now: 412, or 409 where two writes met. */
export function isOverwritten(error: unknown): boolean {
  const status = (error as S3Fault).$metadata?.httpStatusCode;
  return status === 412 || status === 409;
}

/** @throws LedgerError `blobs_unavailable` */
export function asUnavailable(error: unknown): never {
  return fail('blobs_unavailable', 'The file storage does not answer as it should.', { cause: error });
}
