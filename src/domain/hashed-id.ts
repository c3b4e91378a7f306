import { hash } from 'node:crypto';

/**
 * An id made from a text: 132 bits of a hash, so that nobody finds two texts with the same. Indexes repeat the ids of
 * documents, so a text of 100 characters would be most of what a commit writes.
 */
export function hashedId(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
