/** The files of artifacts in a bucket of an S3 store: `s3://<bucket>`. */
import type { Adapter, BlobsLocation } from '../adapter.js';
import { withoutPassword } from '../shared/urls.js';
import { originOfFiles, parseS3Url } from './url.js';

export const s3Blobs: Adapter<BlobsLocation> = {
  schemes: ['s3'],
  form: 's3://<bucket>',
  parse(text) {
    const url = parseS3Url(text);
    return {
      shown: withoutPassword(text),
      folder: null,
      openCopy: null,
      origin: originOfFiles(url),
      open: async ({ clock }) => ({
        blobs: (await import('./blobs.js')).openS3Blobs(url, clock),
        files: null,
      }),
    };
  },
};
