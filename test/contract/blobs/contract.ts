/** The promises of every store of blobs: one suite for all adapters. It uses the URLs as clients do, by HTTP. */
import type { Blobs } from '../../../src/ports/blobs.js';
import { blobKeepingContract } from './keeping.js';
import { blobReadingContract } from './reading.js';
import type { BlobsUnderTest } from './subject.js';
import { blobUploadsContract } from './uploads.js';

export type BlobStore = { blobs: Blobs; origin: string; stop(): Promise<void> };

/** Declares the suite. `start` is called once. Each test has places of its own. */
export function blobsContract(name: string, start: () => Promise<BlobStore>): void {
  describe(`the blobs: ${name}`, function () {
    let store: BlobStore;
    before(async function () {
      // A server may have to be built first.
      this.timeout(600_000);
      store = await start();
    });
    after(() => store?.stop());

    const subject: BlobsUnderTest = {
      get blobs() {
        return store.blobs;
      },
      get origin() {
        return store.origin;
      },
    };
    blobUploadsContract(subject);
    blobKeepingContract(subject);
    blobReadingContract(subject);
  });
}
