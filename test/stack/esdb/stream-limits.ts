/** The events of a stream that its metadata hides. */
import { NO_LIMITS, TOMBSTONE, type Limits } from './log-index.js';

export type Metadata = { $tb?: number; $maxCount?: number; [key: string]: unknown };

/** The metadata of a soft delete: it hides every possible revision. */
export const SOFT_DELETED = '{"$tb":9223372036854775807}';

/** The metadata of a stream that is recreated, from this revision on. */
export function undeleted(metadata: string, from: number): string {
  return JSON.stringify({ ...parsed(metadata), $tb: from });
}

export function limitsOf(metadata: string): Limits {
  const { $tb, $maxCount } = parsed(metadata);
  return {
    truncateBefore: typeof $tb === 'number' ? Math.min($tb, TOMBSTONE) : NO_LIMITS.truncateBefore,
    maxCount: typeof $maxCount === 'number' ? $maxCount : NO_LIMITS.maxCount,
  };
}

function parsed(metadata: string): Metadata {
  const value: unknown = JSON.parse(metadata);
  return typeof value === 'object' && value !== null ? (value as Metadata) : {};
}
