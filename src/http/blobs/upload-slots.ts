/** How many uploads are taken at a time: until it is whole, each is a file of its own, of up to 100 MB. */
import type { BlobPlace } from '../../ports/blobs.js';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';

export type UploadSlots = {
  /** Answers what ends the turn. @throws LedgerError `overloaded`: nobody waits here, with a connection that is held. */
  take(place: BlobPlace): () => void;
};

/** Of one place: a URL may be used any number of times, and a client that was cut off tries again at once. */
export type UploadSlotLimits = { ofOnePlace: number; inAll: number };

export const UPLOAD_SLOTS: UploadSlotLimits = { ofOnePlace: limits.uploadsOfOneArtifact, inAll: 64 };

const RETRY_AFTER_S = 5;

/** The turns of one process. */
export function openUploadSlots({ ofOnePlace, inAll }: UploadSlotLimits): UploadSlots {
  const taken = new Map<string, number>();
  let sum = 0;
  return {
    take({ team, artifact }) {
      const name = `${team}/${artifact}`;
      const there = taken.get(name) ?? 0;
      if (there >= ofOnePlace) overloaded('The file is being uploaded already; try again.');
      if (sum >= inAll) overloaded('Too many files are being uploaded; try again.');
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
