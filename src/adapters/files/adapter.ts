/** The files of artifacts in a folder: `file:<folder>`. This server's own routes receive and serve them. */
import { blobUrls } from '../../artifacts/blob-urls.js';
import type { Adapter, BlobsLocation } from '../adapter.js';
import { folderOf } from '../shared/urls.js';
import { derivedKeys } from '../../secret-key/secret-keys.js';

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
      open: async ({ clock, secretKeys, alone }) => {
        const urls = blobUrls(derivedKeys(await secretKeys(), 'blob-urls'), clock);
        return (await import('./blobs.js')).openFolderBlobs({ folder, urls, clock, alone });
      },
    };
  },
};
