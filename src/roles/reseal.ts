/**
 * Seals everything in State with the current SECRET_KEY, beside running servers. Each entry is replaced only where nobody
 * has changed it meanwhile, and is readable before and after: it may be cut off and repeated. The log has no text that
 * SECRET_KEY seals: names in it are sealed with a key of their person, URLs with one of their webhook, and these are in State.
 */
import { resealAccount, resealIdentity } from '../people/reseal-people.js';
import { IDENTITIES } from '../people/oidc/identities.js';
import { PEOPLE } from '../people/accounts.js';
import type { StateEntry } from '../ports/state.js';
import { recordOneKey, type Resealed, type Resealing } from '../secret-key/sealed-with.js';
import { KIND as MASKS } from '../log/masks.js';
import { ERASURES } from '../redaction/erasures.js';
import { resealErasure, resealMasks } from '../redaction/reseal-texts.js';
import { resealSecrets } from '../webhooks/endpoint/reseal-secrets.js';
import { WEBHOOK_SECRETS } from '../webhooks/endpoint/secrets.js';

/** The one list of what State has under SECRET_KEY. Links, sessions and keys are hashes without a key. */
const sealedKinds: Readonly<
  Record<string, (parts: Resealing, entry: StateEntry<never>) => Promise<Resealed>>
> = {
  [WEBHOOK_SECRETS]: resealSecrets,
  [PEOPLE]: resealAccount,
  [IDENTITIES]: resealIdentity,
  [MASKS]: resealMasks,
  [ERASURES]: resealErasure,
};

const PAGE = 200;

/** `complete`: the previous key is not needed any more. */
export type ResealOutcome = { sealed_anew: number; unreadable: string[]; complete: boolean };

/** `lostKey`: what cannot be read is given up. It stays, but a start does not wait for its key any more. */
export async function reseal(parts: Resealing, { lostKey }: { lostKey: boolean }): Promise<ResealOutcome> {
  let sealed_anew = 0;
  for (;;) {
    const round = await resealOnce(parts);
    sealed_anew += round.sealedAnew;
    // Once more after each change: a server may have sealed with the previous key behind the place of the list.
    if (round.sealedAnew + round.changed > 0) continue;
    const complete = lostKey || round.unreadable.length === 0;
    if (complete) await recordOneKey(parts.state, parts.secretKeys);
    return { sealed_anew, unreadable: round.unreadable, complete };
  }
}

async function resealOnce(parts: Resealing) {
  const round = { sealedAnew: 0, changed: 0, unreadable: [] as string[] };
  for (const [kind, resealEntry] of Object.entries(sealedKinds)) {
    for (let after = '', more = true; more;) {
      const page = await parts.state.list<never>(kind, { after, limit: PAGE });
      for (const entry of page) {
        const outcome = await resealEntry(parts, entry);
        if (outcome === 'sealed anew') round.sealedAnew += 1;
        if (outcome === 'changed') round.changed += 1;
        if (outcome === 'unreadable') round.unreadable.push(`${kind} ${entry.key}`);
      }
      more = page.length > 0;
      after = page.at(-1)?.key ?? after;
    }
  }
  return round;
}
