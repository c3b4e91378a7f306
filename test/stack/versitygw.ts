/** A real S3 server over a folder: versitygw. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../kit/free-port.js';
import { installGoProgram, versitygwProgram } from './install.js';
import { startProgram } from '../kit/other-program.js';
import type { StackServer } from '../kit/stack-server.js';

export type S3Server = StackServer & {
  bucket: string;
  /** The variables from which the SDK reads its credentials. */
  env: Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>;
  /** The value for `BLOBS_URL`. */
  blobsUrl: string;
  /** Stops it without ending it: it accepts connections and answers nothing. */
  freeze(): void;
  thaw(): void;
};

const READY_MS = 30_000;
const BUCKET = 'testledger-artifacts';
const ENV = { AWS_ACCESS_KEY_ID: 'testledger', AWS_SECRET_ACCESS_KEY: 'of-the-suites-alone' };

/** Starts an S3 server on a free loopback port with an empty bucket. @throws Error with the reason where it does not start. */
export async function startVersitygw(): Promise<S3Server> {
  const file = await installGoProgram(versitygwProgram);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'testledger-s3-'));
  await mkdir(join(folder, 'data'));
  const url = `http://127.0.0.1:${port}`;
  const { signal, ...program } = await startProgram({
    name: 'versitygw',
    file,
    args: [`--port=127.0.0.1:${port}`, '--quiet', 'posix', join(folder, 'data')],
    env: {
      PATH: process.env['PATH'],
      ROOT_ACCESS_KEY: ENV.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: ENV.AWS_SECRET_ACCESS_KEY,
      // The host `<bucket>.s3.test` names the bucket, too.
      VGW_VIRTUAL_DOMAIN: `s3.test:${port}`,
    },
    folder,
    // Any answer will do: it is up, even if it refuses a request without a signature.
    isReady: async () => (await fetch(url)).status > 0,
    withinMs: READY_MS,
  });
  await makeBucket(url);
  return {
    ...program,
    url,
    bucket: BUCKET,
    env: ENV,
    blobsUrl: `s3://${BUCKET}/of/the/suites?endpoint=${encodeURIComponent(url)}&path_style=true`,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

async function makeBucket(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: ENV.AWS_ACCESS_KEY_ID, secretAccessKey: ENV.AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials });
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } finally {
    client.destroy();
  }
}
