/** Keys for different purposes from the one secret: what is signed for one is worth nothing for another. */
import { hkdfSync } from 'node:crypto';

/** What a key is for. The text enters the key: another text is another key, and all that was signed is void. */
export type Purpose = 'blob-urls' | 'webhook-secrets';

export function deriveKey(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `testledger/${purpose}/v1`, 32));
}
