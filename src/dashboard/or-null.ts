import { isAppError } from '../errors.js';

/** What an answer has; null where the thing does not exist, for this reader or not yet in the read models. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isAppError(error, 'not_found')) return null;
    throw error;
  }
}
