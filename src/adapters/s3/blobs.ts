/**
 * The files of artifacts in a bucket of an S3 store. Clients PUT and GET the bytes there: only small files, which travel
 * in the call that creates them, pass this server.
 */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createHash } from 'node:crypto';
import { UPLOAD_NAME } from '../../artifacts/blob-urls.js';
import type { Clock } from '../../clock.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { fail } from '../../errors.js';
import type { BlobPlace, Blobs, KeepResult } from '../../ports/blobs.js';
import type { S3Url } from './url.js';

/** The limit of one call with all its tries: a store that does not answer must not hold requests. */
const CALL_MS = 4_000;
/** The limit of a copy: the store reads and writes the whole file. */
const COPY_MS = 30_000;
/** The limit of `keep`: clients that keep uploading must not hold a confirmation for all its tries. */
const KEEP_MS = 60_000;
const TRIES = 10;
/**
 * A store takes an upload whose URL was valid when it began, and finishes a copy whose client has gone. For 100 MB,
 * neither takes longer than this.
 */
const SETTLES_IN_MS = 3_600_000;

/** Makes no call yet. The SDK finds the credentials: in its environment variables, files or roles. */
export function openS3Blobs(url: S3Url, clock: Clock): Blobs {
  // The SDK warns that its later versions need a later Node. The locked version does not, and an operator can do
  // nothing.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const client = new S3Client(clientConfig(url));
  const signing = openSigning(url, clock);
  const bucket = objectsOf(client, url.bucket);
  return {
    settlesInMs: SETTLES_IN_MS,
    uploadUrl: signing.uploadUrl,
    downloadUrl: signing.downloadUrl,
    keep: async (place, file) => keep(bucket, keyPrefixOf(url, place), file),
    put: async (place, { bytes, contentType }) => {
      const version = createHash('sha256').update(bytes).digest('hex');
      await bucket.put(keyPrefixOf(url, place) + version, bytes, contentType);
      return version;
    },
    read: async (place, version) => bucket.get(keyPrefixOf(url, place) + version),
    clear: async (place, except) => clear(bucket, keyPrefixOf(url, place), except),
    async close() {
      client.destroy();
      signing.close();
    },
  };
}

async function keep(
  { head, mustExist, copy }: Objects,
  folder: string,
  { size, contentType }: { size: number; contentType: string },
): Promise<KeepResult> {
  const upload = folder + UPLOAD_NAME;
  const until = performance.now() + KEEP_MS;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seen = await head(upload, until);
    if (seen === null) {
      await mustExist(until);
      return { version: null, found: null };
    }
    if (seen.size !== size) return { version: null, found: seen.size };
    const version = versionOf(seen.etag);
    // A kept version is not copied again: an ETag is often an MD5, and two files can be made with the same one.
    if ((await head(folder + version, until)) !== null) return { version };
    if (await copy({ from: upload, to: folder + version, etag: seen.etag, contentType, until })) {
      return { version };
    }
  }
  return fail('blobs_unavailable', 'Other uploads to the same place kept coming in.', { retryAfter: 1 });
}

async function clear({ list, remove }: Objects, folder: string, except: string | null): Promise<number> {
  const spared = except === null ? null : folder + except;
  let [freed, token] = [0, undefined as string | undefined];
  do {
    const page = await list(folder, token);
    for (const { Key, Size = 0 } of page.Contents ?? []) {
      if (Key === undefined || Key === spared) continue;
      // One by one: a bulk deletion needs a checksum of its body, and stores do not agree on the kind.
      await remove(Key);
      freed += Size;
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return freed;
}

type Objects = ReturnType<typeof objectsOf>;

/** The calls to a bucket. Each throws AppError `blobs_unavailable` where the store does not answer as it should. */
function objectsOf(client: S3Client, Bucket: string) {
  return {
    async head(Key: string, until: number): Promise<{ etag: string; size: number } | null> {
      try {
        const answer = await client.send(new HeadObjectCommand({ Bucket, Key }), limited(CALL_MS, until));
        return { etag: answer.ETag ?? '', size: answer.ContentLength ?? 0 };
      } catch (error) {
        return isNotThere(error) ? null : asUnavailable(error);
      }
    },
    /** The answer to a HEAD has no body, so it does not distinguish a missing bucket from a missing file. */
    async mustExist(until: number): Promise<void> {
      await client.send(new HeadBucketCommand({ Bucket }), limited(CALL_MS, until)).catch(asUnavailable);
    },
    /** False where the bytes with that ETag were no longer there to copy. */
    async copy({ from, to, etag, contentType, until }: CopyRequest): Promise<boolean> {
      const command = new CopyObjectCommand({
        Bucket,
        Key: to,
        // Not `encodeURI`: it leaves a plus as it is, and stores read a plus as a space.
        CopySource: [Bucket, ...from.split('/')].map(encodeURIComponent).join('/'),
        CopySourceIfMatch: etag,
        MetadataDirective: 'REPLACE',
        ContentType: contentType,
      });
      try {
        await client.send(command, limited(COPY_MS, until));
        return true;
      } catch (error) {
        return isOverwritten(error) || isNotThere(error) ? false : asUnavailable(error);
      }
    },
    async put(Key: string, Body: Uint8Array, ContentType: string): Promise<void> {
      const command = new PutObjectCommand({ Bucket, Key, Body, ContentType });
      await client.send(command, limited(CALL_MS)).catch(asUnavailable);
    },
    async get(Key: string): Promise<Uint8Array | null> {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), limited(COPY_MS));
        return (await Body?.transformToByteArray()) ?? null;
      } catch (error) {
        return isNotThere(error) ? null : asUnavailable(error);
      }
    },
    list(Prefix: string, token: string | undefined) {
      const request = { Bucket, Prefix, ...(token && { ContinuationToken: token }) };
      return client.send(new ListObjectsV2Command(request), limited(CALL_MS)).catch(asUnavailable);
    },
    /** Deletes an object. S3 answers 204 where it is gone already; versitygw answers 404 where two deletions meet. */
    async remove(Key: string): Promise<void> {
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key }), limited(CALL_MS));
      } catch (error) {
        if (!isNotThere(error)) asUnavailable(error);
      }
    },
  };
}

type CopyRequest = { from: string; to: string; etag: string; contentType: string; until: number };

/** Signs URLs with a client of its own, because they may lead to another host than the calls of this server. */
function openSigning(url: S3Url, clock: Clock): Pick<Blobs, 'uploadUrl' | 'downloadUrl'> & { close(): void } {
  const Bucket = url.bucket;
  const signer = new S3Client(clientConfig({ ...url, endpoint: url.publicEndpoint ?? url.endpoint }));

  /** Every URL that is signed for the same end stops at the same second: the last whole one before the end. */
  async function presign(
    command: PutObjectCommand | GetObjectCommand,
    expiresAt: Instant,
    signed: readonly string[],
  ): Promise<string> {
    const end = Math.floor(Date.parse(expiresAt) / 1_000);
    // A URL that has ended already is signed for the second before its end, so that it does not become valid again.
    const began = Math.min(Math.floor(clock().getTime() / 1_000), end - 1);
    const signingDate = new Date(began * 1_000);
    const expiresIn = Math.min(end - began, 7 * 24 * 3_600);
    const signableHeaders = new Set(['host', ...signed]);
    // The SDK may have to ask for the credentials first, and that can fail.
    return getSignedUrl(signer, command, {
      signingDate,
      expiresIn,
      signableHeaders,
    }).catch(asUnavailable);
  }

  return {
    uploadUrl: (place, { size, expiresAt }) => {
      const Key = keyPrefixOf(url, place) + UPLOAD_NAME;
      const command = new PutObjectCommand({ Bucket, Key, ContentLength: size });
      return presign(command, expiresAt, ['content-length']);
    },
    downloadUrl: (place, version, { contentType, disposition, expiresAt }) => {
      const command = new GetObjectCommand({
        Bucket,
        Key: keyPrefixOf(url, place) + version,
        ResponseContentType: contentType,
        ResponseContentDisposition: disposition,
      });
      return presign(command, expiresAt, []);
    },
    close: () => signer.destroy(),
  };
}

function clientConfig({ region, endpoint, pathStyle }: S3Url): S3ClientConfig {
  return {
    region,
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // Otherwise the checksum of an empty body is signed into the URL, and the store refuses every other body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 1_500 },
  };
}

/** One signal instead of several joined ones: Node forgets a timeout that only `AbortSignal.any` refers to. */
function limited(milliseconds: number, until = Infinity): { abortSignal: AbortSignal } {
  const left = Math.min(milliseconds, until - performance.now());
  return { abortSignal: AbortSignal.timeout(Math.max(0, Math.ceil(left))) };
}

/** The names consist of our ids, which are checked once more: no text of a client may become part of a name. */
function keyPrefixOf({ prefix }: S3Url, { team, artifact }: BlobPlace): string {
  if (!isId('team', team) || !isId('artifact', artifact)) fail('not_found', 'There is no such file.');
  return `${prefix}${team}/${artifact}/`;
}

/** The same bytes are the same version. An ETag may hold any character but a quote; our keys may not. */
function versionOf(etag: string): string {
  const plain = etag.replace(/^(?:W\/)?"|"$/g, '');
  return /^[\da-z-]{1,64}$/i.test(plain) ? `v-${plain}` : createHash('sha256').update(etag).digest('hex');
}

type S3Fault = { name?: string; $metadata?: { httpStatusCode?: number } };

/** The object does not exist. A missing bucket is a fault of the set-up instead. */
function isNotThere(error: unknown): boolean {
  const { name, $metadata } = error as S3Fault;
  return name !== 'NoSuchBucket' && $metadata?.httpStatusCode === 404;
}

/** The object has changed since: 412, or 409 where two writes met. */
function isOverwritten(error: unknown): boolean {
  const status = (error as S3Fault).$metadata?.httpStatusCode;
  return status === 412 || status === 409;
}

/** @throws AppError `blobs_unavailable` */
function asUnavailable(error: unknown): never {
  return fail('blobs_unavailable', 'The file storage does not answer as it should.', { cause: error });
}
