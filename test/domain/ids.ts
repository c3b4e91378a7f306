/** Ids that read well in a test and are well-formed. */
import type { IdPrefix } from '../../src/domain/ids.js';

/** The n-th id of a kind. */
export function idOf(prefix: IdPrefix, n = 1): string {
  return `${prefix}_01j00000000000000000${String(n).padStart(6, '0')}`;
}
