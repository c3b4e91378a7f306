import { isAppError } from '../../src/errors.js';

/** Commands of random histories do not know what the deciders allow. */
export function unlessRefused(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}
