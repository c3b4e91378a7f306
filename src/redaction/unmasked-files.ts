/**
 * Files that may hold a text whose places are still being searched for. Such a file is looked at before it is given out, also by
 * a URL that was signed before: it is not known yet which of them are to go.
 */
import { openFairSemaphore } from '../concurrency/fair-semaphore.js';
import { fail } from '../errors.js';
import type { Masks } from '../log/masks.js';
import type { BlobPlace, Blobs } from '../ports/blobs.js';
import { isSearched } from './find-text.js';

/** `sizeOf`: it is asked only while a text is searched for. */
export type GivenFile = {
  place: BlobPlace;
  version: string;
  content_type: string;
  sizeOf: () => number | Promise<number>;
};

/** @throws AppError `not_found` for a file with such a text, `overloaded`, `blobs_unavailable` */
export type MayGive = (file: GivenFile) => Promise<void>;

/** Each of them is a file of up to 10 MB in memory. */
const AT_ONCE = { ofAll: 4, ofTeam: 2 };
const WAITS_MS = 5_000;

export function openUnmaskedFiles(masks: Pick<Masks, 'current'>, blobs: Pick<Blobs, 'read'>): MayGive {
  const places = openFairSemaphore(AT_ONCE.ofAll, { perKey: AT_ONCE.ofTeam });
  return async ({ place, version, content_type, sizeOf }) => {
    const texts = (await masks.current()).unmasked(place.team);
    if (texts.length === 0 || !isSearched({ content_type, size_bytes: await sizeOf() })) return;
    const done = await places.acquire(place.team, { withinMs: WAITS_MS });
    if (done === null)
      fail('overloaded', 'A text is being redacted, and too many files are looked at for it.', {
        retryAfter: 1,
      });
    try {
      const bytes = await blobs.read(place, version);
      if (
        bytes !== null &&
        texts.some((text) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text))
      )
        fail('not_found', 'The file holds a text that is being redacted.');
    } finally {
      done();
    }
  };
}
