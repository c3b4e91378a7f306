/** A real S3 server over a folder: versitygw. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { installGoProgram, versitygwProgram } from './install.js';
import { startProgram } from './program.js';
import type { StackServer } from './stack-server.js';

export type S3Server = StackServer & {
  bucket: string;
  /** What the SDK reads its credentials from. */
  env: Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>;
  /** What `BLOBS_URL` is set to. */
  blobsUrl: string;
  /** Stands still, as a server that hangs: connections are taken, nothing is answered. */
  freeze(): void;
  thaw(): void;
};

const READY_MS = 30_000;
const BUCKET = 'testledger-artifacts';
const ENV = { AWS_ACCESS_KEY_ID: 'testledger', AWS_SECRET_ACCESS_KEY: 'of-the-suites-alone' };

/** Starts one on a free loopback port with an empty folder and an empty bucket of its own. @throws Error why it is not. */
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
      // `<bucket>.s3.test` is the bucket, too.
      VGW_VIRTUAL_DOMAIN: `s3.test:${port}`,
    },
    folder,
    // Whatever it says of a request without a signature: it is up.
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
