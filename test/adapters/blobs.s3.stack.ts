import { openS3Blobs } from '../../src/adapters/blobs.s3.js';
import { systemClock } from '../../src/core/clock.js';
import { blobsContract } from '../contract/blobs.js';
import { startVersitygw } from '../stack/versitygw.js';
import { withCredentials, storeOf } from './blobs.s3.js';

blobsContract('S3 (versitygw)', async () => {
  const server = await startVersitygw();
  const restore = withCredentials(server);
  const blobs = openS3Blobs(storeOf(server), systemClock);
  return {
    blobs,
    origin: 'http://not.used',
    async stop() {
      await blobs.close();
      restore();
      await server.stop();
    },
  };
});
