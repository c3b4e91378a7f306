/** A key for the run of some files, where no build has one. */
import { createHash } from 'node:crypto';

/** The same contents have the same key, whatever the files are called. */
export function contentKey(digests: readonly string[]): string {
  const all = createHash('sha256')
    .update([...digests].sort().join('\n'))
    .digest('hex');
  return `files ${all.slice(0, 32)}`;
}
