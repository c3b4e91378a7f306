/** The secrets of a webhook under another SECRET_KEY: they sign messages as before. */
import { addMilliseconds, instant } from '../../clock.js';
import type { StateEntry } from '../../ports/state.js';
import type { Resealed, Resealing } from '../../secret-key/sealed-with.js';
import { openSealer } from '../../secret-key/secret-keys.js';
import { PROVISIONAL_MS, WEBHOOK_SECRETS, type SealedSecrets } from './secrets.js';

export async function resealSecrets(
  { state, secretKeys, clock }: Resealing,
  { key: webhookId, value, version }: StateEntry<SealedSecrets>,
): Promise<Resealed> {
  const sealer = openSealer(secretKeys, 'webhook-secrets');
  if (sealer.isCurrent(value.sealed)) return 'current';
  let secrets: string;
  try {
    secrets = sealer.unseal(webhookId, value.sealed);
  } catch {
    return 'unreadable';
  }
  const anew: SealedSecrets = { ...value, sealed: sealer.seal(webhookId, secrets) };
  const put = await state.put(WEBHOOK_SECRETS, webhookId, anew, {
    expected: version,
    ...(value.provisional === true && { expiresAt: addMilliseconds(instant(clock), PROVISIONAL_MS) }),
  });
  return put === null ? 'changed' : 'sealed anew';
}
