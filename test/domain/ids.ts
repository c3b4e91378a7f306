/** Ids that are well-formed and easy to read in a test. */
import type { IdPrefix } from '../../src/domain/ids.js';

/** Returns the n-th id of a kind. */
export function idOf(prefix: IdPrefix, n = 1): string {
  return `${prefix}_01j00000000000000000${String(n).padStart(6, '0')}`;
}
