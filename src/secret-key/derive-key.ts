/** Keys for different purposes, derived from one secret. A signature for one purpose is not valid for another. */
import { hkdfSync } from 'node:crypto';

/** The purposes of keys. A key is derived from this text: with another text, all earlier signatures are void. */
export type Purpose =
  | 'blob-urls'
  | 'webhook-secrets'
  | 'people'
  | 'emails'
  | 'identities'
  | 'external-sign-ins'
  | 'shown-once'
  | 'contents'
  | 'redactions'
  | 'shared-points'
  | 'key-id';

export function deriveKey(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `testledger/${purpose}/v1`, 32));
}
