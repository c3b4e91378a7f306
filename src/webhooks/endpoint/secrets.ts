/**
 * The secrets that sign messages (Standard Webhooks 1.0), and the key that seals the URL of a webhook in events and read models.
 * They are in State, encrypted, and never in an event, a read model or a log line. A former secret signs beside the new one for
 * a while, so that receivers can change over. With the entry of a deleted webhook, its URL goes from the log, too.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Instant } from '../../domain/event.js';
import { fail, isAppError } from '../../errors.js';
import { addMilliseconds } from '../../clock.js';
import type { WebhookRecord } from '../../domain/messages/webhook.js';
import { seal, unseal } from '../../secret-key/seal.js';
import { openSealer, type SecretKeys } from '../../secret-key/secret-keys.js';
import type { StateEntry, State } from '../../ports/state.js';
import { limits } from '../../limits.js';

/** How long a former secret signs. */
export const OVERLAP_MS = limits.secretOverlapMs;
/** The most former secrets that still sign: each adds a signature to every message. */
const FORMER = 2;
/** A secret is stored before its webhook. If the webhook never follows, the secret expires after this. */
export const PROVISIONAL_MS = 7 * 24 * 3_600_000;

/**
 * The secrets that sign now, newest first; none for a deleted webhook. Only to be called for a webhook that exists:
 * from then on its secret does not expire.
 */
export type ReadSecrets = (webhookId: string, now: Instant) => Promise<string[]>;

/** All throw AppError `state_unavailable`, and `internal` if SECRET_KEY was changed. */
export type WebhookSecrets = {
  secretsOf: ReadSecrets;
  /** The first secret of a webhook. A repeated creation gets the same secret. */
  create(webhookId: string, now: Instant): Promise<string>;
  /**
   * A new secret. The one before it signs until `previousUntil`, with at most two former ones in all. If the webhook
   * has lost its secret, or if SECRET_KEY was changed, the new secret is the only one.
   */
  rotate(webhookId: string, rotation: { now: Instant; previousUntil: Instant }): Promise<string>;
  /** The URL for an event. A webhook that has lost its secret gets another key, and no secret. */
  sealUrl(webhookId: string, url: string, now: Instant): Promise<Pick<WebhookRecord, 'origin' | 'sealed'>>;
  /** Null where the key is lost, or SECRET_KEY was changed. */
  urlOf(webhook: Pick<WebhookRecord, 'webhook_id' | 'sealed'>): Promise<string | null>;
  forget(webhookId: string): Promise<void>;
};

/** `until`: null for the secret that signs until it is replaced. */
type Secret = { secret: string; until: Instant | null };

/** Of a webhook: its secrets, newest first, and the key of its URLs, in base64. */
type Keys = { secrets: readonly Secret[]; url_key: string };

/** `sealed`: its keys (`seal.ts`). `provisional`: it expires unless its webhook is seen before. */
export type SealedSecrets = { sealed: string; provisional?: true };

export const WEBHOOK_SECRETS = 'webhook-secret';
const SECRET_BYTES = 32;
/** Each has up to three secrets and a URL, in about a kilobyte. */
const MOST_OPENED = 1_000;

/**
 * Long because all functions share the keys: each is short.
 */
export function openSecrets(state: State, secretKeys: SecretKeys): WebhookSecrets {
  const sealer = openSealer(secretKeys, 'webhook-secrets');
  const opened = new LRUCache<string, { sealed: string; keys: Keys }>({ max: MOST_OPENED });
  const urls = new LRUCache<string, { sealed: string; url_key: string; url: string | null }>({
    max: MOST_OPENED,
  });
  const asked = new Map<string, Promise<StateEntry<SealedSecrets> | null>>();

  const sealFor = (webhookId: string, keys: Keys): SealedSecrets => ({
    sealed: sealer.seal(webhookId, JSON.stringify(keys)),
  });

  function open(webhookId: string, { value }: StateEntry<SealedSecrets>): Keys {
    try {
      return JSON.parse(sealer.unseal(webhookId, value.sealed)) as Keys;
    } catch (cause) {
      const why = 'SECRET_KEY is not the one that it was encrypted with, or State was changed';
      return fail('internal', `the secret of ${webhookId} cannot be read: ${why}`, { cause });
    }
  }

  /** Keys that cannot be read are lost: a rotation goes on without them. */
  function openIfReadable(webhookId: string, entry: StateEntry<SealedSecrets>): Keys | null {
    try {
      return open(webhookId, entry);
    } catch (error) {
      if (!isAppError(error, 'internal')) throw error;
      return null;
    }
  }

  /** The same, opened once for many messages. The state is asked each time, so a rotation counts at once. */
  function openAgain(webhookId: string, entry: StateEntry<SealedSecrets>): Keys {
    const known = opened.get(webhookId);
    if (known?.sealed === entry.value.sealed) return known.keys;
    const keys = open(webhookId, entry);
    opened.set(webhookId, { sealed: entry.value.sealed, keys });
    return keys;
  }

  const read = (webhookId: string) => state.get<SealedSecrets>(WEBHOOK_SECRETS, webhookId);

  /** Attempts that begin together share one look, which begins after the last of them has asked. */
  function readTogether(webhookId: string): Promise<StateEntry<SealedSecrets> | null> {
    let shared = asked.get(webhookId);
    if (shared === undefined) {
      shared = Promise.resolve().then(() => {
        asked.delete(webhookId);
        return read(webhookId);
      });
      asked.set(webhookId, shared);
    }
    return shared;
  }

  async function putFirst(webhookId: string, keys: Keys, now: Instant): Promise<boolean> {
    const value: SealedSecrets = { ...sealFor(webhookId, keys), provisional: true };
    const options = { expected: 'absent', expiresAt: addMilliseconds(now, PROVISIONAL_MS) } as const;
    return (await state.put(WEBHOOK_SECRETS, webhookId, value, options)) !== null;
  }

  /** Ends the expiry. If another process has changed the entry first, nothing is left to do. */
  async function keep(
    webhookId: string,
    { value: { sealed }, version }: StateEntry<SealedSecrets>,
  ): Promise<void> {
    await state.put(WEBHOOK_SECRETS, webhookId, { sealed } satisfies SealedSecrets, { expected: version });
  }

  return {
    async secretsOf(webhookId, now) {
      const entry = await readTogether(webhookId);
      if (entry === null) return [];
      const secrets = signing(openAgain(webhookId, entry).secrets, now);
      if (entry.value.provisional === true) await keep(webhookId, entry);
      return secrets.map(({ secret }) => secret);
    },

    async create(webhookId, now) {
      const secret = newSecret();
      if (await putFirst(webhookId, newKeys(secret), now)) return secret;
      // An earlier try of the same request has stored a secret, and may have registered the webhook with it.
      const entry = await read(webhookId);
      if (entry === null) fail('not_found', 'There is no such webhook.');
      return open(webhookId, entry).secrets[0]!.secret;
    },

    async rotate(webhookId, { now, previousUntil }) {
      const secret = newSecret();
      for (;;) {
        const entry = await read(webhookId);
        if (entry === null) {
          if (await putFirst(webhookId, newKeys(secret), now)) return secret;
          continue;
        }
        const { secrets, url_key } = openIfReadable(webhookId, entry) ?? newKeys();
        const former = signing(secrets, now).map((each) => ({
          ...each,
          until: each.until ?? previousUntil,
        }));
        const all = [{ secret, until: null }, ...former.slice(0, FORMER)];
        const sealed = sealFor(webhookId, { secrets: all, url_key });
        if ((await state.put(WEBHOOK_SECRETS, webhookId, sealed, { expected: entry.version })) !== null)
          return secret;
      }
    },

    async sealUrl(webhookId, url, now) {
      const anew = newKeys();
      for (;;) {
        const entry = await read(webhookId);
        const known = entry && openIfReadable(webhookId, entry);
        if (entry === null && !(await putFirst(webhookId, anew, now))) continue;
        if (entry !== null && known === null) {
          const value = sealFor(webhookId, anew);
          const put = await state.put(WEBHOOK_SECRETS, webhookId, value, { expected: entry.version });
          if (put === null) continue;
        }
        const { url_key } = known ?? anew;
        const sealed = seal(Buffer.from(url_key, 'base64'), webhookId, url);
        return { origin: new URL(url).origin, sealed };
      }
    },

    async urlOf({ webhook_id: id, sealed }) {
      const entry = await readTogether(id);
      if (entry === null) return null;
      let url_key: string;
      try {
        ({ url_key } = openAgain(id, entry));
      } catch (error) {
        if (!isAppError(error, 'internal')) throw error;
        return null;
      }
      const known = urls.get(id);
      if (known?.sealed === sealed && known.url_key === url_key) return known.url;
      const url = unsealedUrl(url_key, id, sealed);
      urls.set(id, { sealed, url_key, url });
      return url;
    },

    async forget(webhookId) {
      opened.delete(webhookId);
      urls.delete(webhookId);
      await state.remove(WEBHOOK_SECRETS, webhookId, 'any');
    },
  };
}

function signing(secrets: readonly Secret[], now: Instant): Secret[] {
  return secrets.filter(({ until }) => until === null || until > now).slice(0, 1 + FORMER);
}

/** Without a secret, none signs. */
function newKeys(secret: string | null = null): Keys {
  const url_key = randomBytes(SECRET_BYTES).toString('base64');
  return { secrets: secret === null ? [] : [{ secret, until: null }], url_key };
}

/** Null for a URL of a key that is lost. */
function unsealedUrl(url_key: string, webhookId: string, sealed: string): string | null {
  try {
    return unseal(Buffer.from(url_key, 'base64'), webhookId, sealed);
  } catch {
    return null;
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
