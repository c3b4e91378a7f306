import { blobsContract } from '../../contract/blobs/contract.js';
import { startBlobServer } from '../../http/artifacts/blob-server.js';

blobsContract('a folder', async () => {
  const { blobs, url, stop } = await startBlobServer();
  return { blobs, origin: url, stop };
});
