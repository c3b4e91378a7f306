/** The files of artifacts in a folder: `file:<folder>`. This server's own routes receive and serve them. */
import { blobUrls } from '../../artifacts/blob-urls.js';
import { deriveKey } from '../../derive-key.js';
import type { Adapter, BlobsLocation } from '../adapter.js';
import { folderOf } from '../shared/urls.js';

export const folderBlobs: Adapter<BlobsLocation> = {
  schemes: ['file'],
  form: 'file:<folder>',
  parse(url) {
    const folder = folderOf(url);
    return {
      shown: folder,
      folder,
      origin: null,
      openCopy: async (to) => (await import('./copy-blobs.js')).openBlobsCopy({ from: folder, to }),
      open: async ({ clock, secret, alone }) => {
        const urls = blobUrls(deriveKey(await secret(), 'blob-urls'), clock);
        return (await import('./blobs.js')).openFolderBlobs({ folder, urls, clock, alone });
      },
    };
  },
};
