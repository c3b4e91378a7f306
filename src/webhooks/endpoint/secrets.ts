/**
 * The secrets that webhooks are signed with (Standard Webhooks 1.0), in State, encrypted: in no event, no view and no
 * log line. One that was replaced signs on beside the new one for a while, so that who verifies can change over.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Instant } from '../../domain/event.js';
import { fail, isLedgerError } from '../../errors.js';
import { later } from '../../clock.js';
import { deriveKey } from '../../derive-key.js';
import type { StateEntry, State } from '../../ports/state.js';
import { limits } from '../../limits.js';

/** How long a former secret signs. */
export const OVERLAP_MS = limits.secretOverlapMs;
/** So many former ones sign on at the most: each is a signature in every message. */
const FORMER = 2;
/** A secret is there before its webhook; where that never comes, so long. */
const PROVISIONAL_MS = 7 * 24 * 3_600_000;

/**
 * Those that sign now, newest first; none for a webhook that is gone. Asked where the webhook is known to be there: the
 * secret stays from then on.
 */
export type ReadSecrets = (webhookId: string, now: Instant) => Promise<string[]>;

/** All throw LedgerError `state_unavailable`, and `internal` where SECRET_KEY is another one than it was. */
export type WebhookSecrets = {
  secretsOf: ReadSecrets;
  /** The first secret of a webhook. Asked again, it answers the same: a repeated creation makes no second one. */
  create(webhookId: string, now: Instant): Promise<string>;
  /**
   * A new secret; the one before it signs until `previousUntil`, and two former ones at the most. Of a webhook that has
   * lost its secret the first, in case that it is there; where SECRET_KEY is another one the only one.
   */
  rotate(webhookId: string, rotation: { now: Instant; previousUntil: Instant }): Promise<string>;
  forget(webhookId: string): Promise<void>;
};

/** `until`: null for the one that signs until it is replaced. */
type Secret = { secret: string; until: Instant | null };

/**
 * All of a webhook's, newest first, sealed together: iv, tag and ciphertext in base64. `provisional`: forgotten after a
 * while unless somebody finds the webhook there.
 */
type Sealed = { sealed: string; provisional?: true };

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

  function open(webhookId: string, { value }: StateEntry<Sealed>): Secret[] {
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

  /** What nobody can read is gone for good: a new one is made without it. */
  function openIfReadable(webhookId: string, entry: StateEntry<Sealed>): Secret[] {
    try {
      return open(webhookId, entry);
    } catch (error) {
      if (!isLedgerError(error, 'internal')) throw error;
      return [];
    }
  }

  const read = (webhookId: string) => state.get<Sealed>(KIND, webhookId);

  async function putFirst(webhookId: string, secret: string, now: Instant): Promise<boolean> {
    const value: Sealed = { ...seal(webhookId, [{ secret, until: null }]), provisional: true };
    const options = { expected: 'absent', expiresAt: later(now, PROVISIONAL_MS) } as const;
    return (await state.put(KIND, webhookId, value, options)) !== null;
  }

  /** Whoever gets in first has kept, replaced or forgotten it. */
  async function keep(webhookId: string, { value: { sealed }, version }: StateEntry<Sealed>): Promise<void> {
    await state.put(KIND, webhookId, { sealed } satisfies Sealed, { expected: version });
  }

  return {
    async secretsOf(webhookId, now) {
      const entry = await read(webhookId);
      if (entry === null) return [];
      const secrets = signing(open(webhookId, entry), now);
      if (entry.value.provisional === true) await keep(webhookId, entry);
      return secrets.map(({ secret }) => secret);
    },

    async create(webhookId, now) {
      const secret = newSecret();
      if (await putFirst(webhookId, secret, now)) return secret;
      // An earlier try of the same request was here: it may have registered the webhook by now.
      const entry = await read(webhookId);
      if (entry === null) fail('not_found', 'There is no such webhook.');
      return open(webhookId, entry)[0]!.secret;
    },

    async rotate(webhookId, { now, previousUntil }) {
      const secret = newSecret();
      for (;;) {
        const entry = await read(webhookId);
        if (entry === null) {
          if (await putFirst(webhookId, secret, now)) return secret;
          continue;
        }
        const former = signing(openIfReadable(webhookId, entry), now).map((each) => ({
          ...each,
          until: each.until ?? previousUntil,
        }));
        const sealed = seal(webhookId, [{ secret, until: null }, ...former.slice(0, FORMER)]);
        if ((await state.put(KIND, webhookId, sealed, { expected: entry.version })) !== null) return secret;
      }
    },

    async forget(webhookId) {
      await state.remove(KIND, webhookId, 'any');
    },
  };
}

function signing(secrets: readonly Secret[], now: Instant): Secret[] {
  return secrets.filter(({ until }) => until === null || until > now).slice(0, 1 + FORMER);
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
