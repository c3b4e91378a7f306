/** Bounds the uploads at the same time: until it is complete, each one is a temporary file of up to 100 MiB. */
import { openFairSemaphore } from '../../concurrency/fair-semaphore.js';
import type { BlobPlace } from '../../ports/blobs.js';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';

export type UploadSlots = {
  /** Takes a slot and returns the function that frees it. @throws LedgerError `overloaded` at once, without waiting. */
  take(place: BlobPlace): () => void;
};

/** `ofOnePlace` is more than one: a client that was cut off retries at once, while its first upload still counts. */
export type UploadSlotLimits = { ofOnePlace: number; ofTeam: number; inAll: number };

export const UPLOAD_SLOTS: UploadSlotLimits = {
  ofOnePlace: limits.uploadsOfOneArtifact,
  ofTeam: 32,
  inAll: 64,
};

const RETRY_AFTER_S = 5;

/** The slots of one process. */
export function openUploadSlots({ ofOnePlace, ofTeam, inAll }: UploadSlotLimits): UploadSlots {
  const ofPlaces = openFairSemaphore(Infinity, { perKey: ofOnePlace });
  const ofTeams = openFairSemaphore(inAll, { perKey: ofTeam });
  return {
    take({ team, artifact }) {
      const leavePlace = ofPlaces.tryAcquire(`${team}/${artifact}`);
      if (leavePlace === null) overloaded('This file is already being uploaded. Try again.');
      const leaveTeam = ofTeams.tryAcquire(team);
      if (leaveTeam === null) {
        leavePlace();
        overloaded('Too many files are being uploaded. Try again.');
      }
      return () => {
        leavePlace();
        leaveTeam();
      };
    },
  };
}

function overloaded(detail: string): never {
  fail('overloaded', detail, { retryAfter: RETRY_AFTER_S });
}
