/** Sealed texts of redactions under another SECRET_KEY: those of the masks, and of erasures that are under way. */
import { KIND as MASKS, type StoredMasks } from '../log/masks.js';
import type { StateEntry } from '../ports/state.js';
import type { Resealed, Resealing } from '../secret-key/sealed-with.js';
import { openSealer, type Sealer } from '../secret-key/secret-keys.js';
import type { Mask } from '../log/masks.js';
import { ERASURES, type Erasure } from './erasures.js';

/** Without its key a mask hides nothing, and every read of the log fails: so no key is given up while one needs it. */
export async function resealMasks(
  { state, secretKeys }: Resealing,
  { key, value, version }: StateEntry<StoredMasks>,
): Promise<Resealed> {
  const sealer = openSealer(secretKeys, 'redactions');
  const masks = value.masks.map((mask) => resealed(mask, sealer));
  if (masks.some((mask) => mask === 'unreadable')) return 'unreadable';
  if (masks.every((mask, n) => mask === value.masks[n])) return 'current';
  const put = await state.put(MASKS, key, { ...value, masks }, { expected: version });
  return put === null ? 'changed' : 'sealed anew';
}

export async function resealErasure(
  { state, secretKeys }: Resealing,
  { key, value, version }: StateEntry<Erasure>,
): Promise<Resealed> {
  if (value.mask === null) return 'current';
  const mask = resealed(value.mask, openSealer(secretKeys, 'redactions'));
  if (mask === 'unreadable') return 'unreadable';
  if (mask === value.mask) return 'current';
  const put = await state.put(ERASURES, key, { ...value, mask }, { expected: version });
  return put === null ? 'changed' : 'sealed anew';
}

function resealed(mask: Mask, sealer: Sealer): Mask | 'unreadable' {
  if (!('sealed' in mask) || sealer.isCurrent(mask.sealed)) return mask;
  try {
    return { ...mask, sealed: sealer.seal(mask.team, sealer.unseal(mask.team, mask.sealed)) };
  } catch {
    return 'unreadable';
  }
}
