import { blobsContract } from '../../contract/blobs.js';
import { startBlobServer } from '../../http/blob-server.js';

blobsContract('a folder', async () => {
  const { blobs, url, stop } = await startBlobServer();
  return { blobs, origin: url, stop };
});
