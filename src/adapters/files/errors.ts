/** Faults of the file system, as the port tells them. */
import { fail, LedgerError } from '../../errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** @throws LedgerError `blobs_unavailable` for what the file system could not do. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    // Somebody has to make room first.
    if (FULL.has(code))
      fail('blobs_unavailable', 'The file storage is full.', { retryAfter: 30, cause: error });
    return fail('blobs_unavailable', 'The file storage failed.', { cause: error });
  }
}

/** For `catch`: null for a file that is not there, which is no fault. */
export function isMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
