/**
 * The secrets that webhooks are signed with (Standard Webhooks 1.0), in State, encrypted: in no event, no view and no
 * log line. One that was replaced signs on beside the new one for a while, so that who verifies can change over.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Instant } from '../../domain/event.js';
import { fail } from '../../errors.js';
import { deriveKey } from '../keys.js';
import type { Entry, State } from '../ports.js';

/** How long a former secret signs. */
export const OVERLAP_MS = 24 * 3_600_000;

/** Those that sign now, newest first; none for a webhook that is gone. */
export type ReadSecrets = (webhookId: string, now: Instant) => Promise<string[]>;

/** All throw LedgerError `state_unavailable`, and `internal` where SECRET_KEY is another one than it was. */
export type WebhookSecrets = {
  secretsOf: ReadSecrets;
  /** The first secret of a webhook. Asked again, it answers the same: a repeated creation makes no second one. */
  create(webhookId: string): Promise<string>;
  /** A new secret; the one before it signs until `previousUntil`. @throws LedgerError `not_found` for one that is gone. */
  rotate(webhookId: string, rotation: { now: Instant; previousUntil: Instant }): Promise<string>;
  forget(webhookId: string): Promise<void>;
};

/** `until`: null for the one that signs until it is replaced. */
type Secret = { secret: string; until: Instant | null };

/** All of a webhook's, newest first, sealed together: iv, tag and ciphertext in base64. */
type Sealed = { sealed: string };

const KIND = 'webhook-secret';
const CIPHER = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES, SECRET_BYTES] = [12, 16, 32];

/** `secretKey`: that of the server, of any length. */
export function openSecrets(state: State, secretKey: string): WebhookSecrets {
  const key = deriveKey(secretKey, 'webhook-secrets');

  /** With the id as additional data: what is put under another webhook's id opens for nobody. */
  function seal(webhookId: string, secrets: readonly Secret[]): Sealed {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(webhookId),
    );
    const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64') };
  }

  function open(webhookId: string, { value }: Entry<Sealed>): Secret[] {
    const bytes = Buffer.from(value.sealed, 'base64');
    const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(webhookId))
        .setAuthTag(tag);
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8')) as Secret[];
    } catch (cause) {
      const why = 'SECRET_KEY is not the one that it was encrypted with, or State was changed';
      return fail('internal', `the secret of ${webhookId} cannot be read: ${why}`, { cause });
    }
  }

  const read = (webhookId: string) => state.get<Sealed>(KIND, webhookId);

  return {
    async secretsOf(webhookId, now) {
      const entry = await read(webhookId);
      return entry === null ? [] : signing(open(webhookId, entry), now).map(({ secret }) => secret);
    },

    async create(webhookId) {
      const secret = newSecret();
      const sealed = seal(webhookId, [{ secret, until: null }]);
      if ((await state.put(KIND, webhookId, sealed, { expected: 'absent' })) !== null) return secret;
      // An earlier try of the same request was here: it may have registered the webhook by now.
      const entry = await read(webhookId);
      if (entry === null) fail('not_found', 'There is no such webhook.');
      return open(webhookId, entry)[0]!.secret;
    },

    async rotate(webhookId, { now, previousUntil }) {
      const secret = newSecret();
      for (;;) {
        const entry = await read(webhookId);
        // Not made anew: the webhook was deleted, and so was its secret.
        if (entry === null) fail('not_found', 'There is no such webhook.');
        const former = signing(open(webhookId, entry), now).map((each) => ({
          ...each,
          until: each.until ?? previousUntil,
        }));
        const sealed = seal(webhookId, [{ secret, until: null }, ...former]);
        if ((await state.put(KIND, webhookId, sealed, { expected: entry.version })) !== null) return secret;
      }
    },

    async forget(webhookId) {
      await state.remove(KIND, webhookId, 'any');
    },
  };
}

function signing(secrets: readonly Secret[], now: Instant): Secret[] {
  return secrets.filter(({ until }) => until === null || until > now);
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
