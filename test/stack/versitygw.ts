/** A real S3 server over a folder: versitygw. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { installGoProgram, versitygwProgram } from './install.js';
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
  const program = await installGoProgram(versitygwProgram);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'testledger-s3-'));
  await mkdir(join(folder, 'data'));
  const url = `http://127.0.0.1:${port}`;
  let running = await startIn(program, folder, port);

  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  const clear = (): void => {
    running.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // Whoever forgets to stop it, fails before or is told to end leaves nothing behind.
  const end = (): never => process.exit(143);
  process.once('exit', clear);
  process.once('SIGTERM', end);

  await makeBucket(url);
  return {
    url,
    bucket: BUCKET,
    env: ENV,
    blobsUrl: `s3://${BUCKET}/of/the/suites?endpoint=${encodeURIComponent(url)}&path_style=true`,
    kill,
    freeze: () => void running.kill('SIGSTOP'),
    thaw: () => void running.kill('SIGCONT'),
    start: async () => {
      await kill();
      running = await startIn(program, folder, port);
    },
    stop: async () => {
      await kill();
      process.off('exit', clear);
      process.off('SIGTERM', end);
      clear();
    },
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

async function startIn(program: string, folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(program, [`--port=127.0.0.1:${port}`, '--quiet', 'posix', join(folder, 'data')], {
    env: {
      PATH: process.env['PATH'],
      ROOT_ACCESS_KEY: ENV.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: ENV.AWS_SECRET_ACCESS_KEY,
      // `<bucket>.s3.test` is the bucket, too.
      VGW_VIRTUAL_DOMAIN: `s3.test:${port}`,
    },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  }
  let failure: Error | null = null;
  child.once('error', (error) => (failure = error));
  const ended = (code: number | null, signal: string | null) => {
    failure = new Error(`versitygw ended with ${code ?? signal} before it was ready:\n${said}`);
  };
  child.once('exit', ended);
  for (const until = Date.now() + READY_MS; !(await answers(port)); await pause(20)) {
    if (failure === null && Date.now() > until) {
      failure = new Error(`versitygw did not answer in ${READY_MS} ms:\n${said}`);
    }
    if (failure !== null) {
      child.kill('SIGKILL');
      throw failure;
    }
  }
  child.off('exit', ended);
  return child;
}

/** Whatever it says of a request without a signature: it is up. */
async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
