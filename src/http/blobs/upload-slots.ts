/** Bounds the uploads at the same time: until it is complete, each one is a temporary file of up to 100 MiB. */
import type { BlobPlace } from '../../ports/blobs.js';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';

export type UploadSlots = {
  /** Takes a slot and returns the function that frees it. @throws LedgerError `overloaded` at once, without waiting. */
  take(place: BlobPlace): () => void;
};

/** `ofOnePlace` is more than one: a client that was cut off retries at once, while its first upload still counts. */
export type UploadSlotLimits = { ofOnePlace: number; inAll: number };

export const UPLOAD_SLOTS: UploadSlotLimits = { ofOnePlace: limits.uploadsOfOneArtifact, inAll: 64 };

const RETRY_AFTER_S = 5;

/** The slots of one process. */
export function openUploadSlots({ ofOnePlace, inAll }: UploadSlotLimits): UploadSlots {
  const taken = new Map<string, number>();
  let sum = 0;
  return {
    take({ team, artifact }) {
      const name = `${team}/${artifact}`;
      const there = taken.get(name) ?? 0;
      if (there >= ofOnePlace) overloaded('This file is already being uploaded. Try again.');
      if (sum >= inAll) overloaded('Too many files are being uploaded. Try again.');
      taken.set(name, there + 1);
      sum += 1;
      return () => {
        const left = (taken.get(name) ?? 0) - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
        sum -= 1;
      };
    },
  };
}

function overloaded(detail: string): never {
  fail('overloaded', detail, { retryAfter: RETRY_AFTER_S });
}
