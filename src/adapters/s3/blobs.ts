/** Blobs in a bucket of an S3 store. Clients put and get the bytes there: they never pass through this server. */
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
import { UPLOAD } from '../../artifacts/blob-urls.js';
import type { Clock } from '../../clock.js';
import type { BlobPlace, Blobs } from '../../ports/blobs.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { fail } from '../../errors.js';
import type { S3Url } from './url.js';

/** A store that does not answer must not hold requests: this bounds a call with all its tries. */
const CALL_MS = 4_000;
/** The store reads and writes the whole file. */
const COPY_MS = 30_000;
/** Others that keep uploading must not hold a confirmation for all its tries. */
const KEEP_MS = 60_000;
const TRIES = 10;
/**
 * Stores take a request whose URL was good when it began, and finish a copy whose client has gone; neither takes longer,
 * of 100 MB.
 */
const SETTLES_IN_MS = 3_600_000;

/** Credentials are those that the SDK finds: its environment variables, its files, its roles. No call is made yet. */
export function openS3Blobs(store: S3Url, clock: Clock): Blobs {
  // The SDK's own switch. Its versions to come need a later Node; the one that is locked does not, and whoever runs a
  // server can do nothing about it.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const client = new S3Client(clientConfig(store));
  const signer = new S3Client(clientConfig({ ...store, endpoint: store.publicEndpoint ?? store.endpoint }));
  const { bucket: Bucket } = store;
  const keyOf = (place: BlobPlace, name: string) => `${folderOf(store, place)}${name}`;

  /** Signed again for the same end it ends at the same second, which is the last whole one before it. */
  async function presign(
    command: PutObjectCommand | GetObjectCommand,
    expiresAt: Instant,
    signed: readonly string[],
  ): Promise<string> {
    const end = Math.floor(Date.parse(expiresAt) / 1_000);
    // One that has ended already is signed for the second before its end: it must not be good once more.
    const began = Math.min(Math.floor(clock().getTime() / 1_000), end - 1);
    const signingDate = new Date(began * 1_000);
    const expiresIn = Math.min(end - began, 7 * 24 * 3_600);
    const signableHeaders = new Set(['host', ...signed]);
    // The credentials may have to be asked for first.
    return getSignedUrl(signer, command, {
      signingDate,
      expiresIn,
      signableHeaders,
    }).catch(asUnavailable);
  }

  async function head(Key: string, until: number): Promise<{ etag: string; size: number } | null> {
    try {
      const answer = await client.send(new HeadObjectCommand({ Bucket, Key }), limited(CALL_MS, until));
      return { etag: answer.ETag ?? '', size: answer.ContentLength ?? 0 };
    } catch (error) {
      return isNotThere(error) ? null : asUnavailable(error);
    }
  }

  /** The answer to HEAD has no body: it does not tell a bucket that is not there from a file that is not. */
  async function mustHaveBucket(until: number): Promise<void> {
    await client.send(new HeadBucketCommand({ Bucket }), limited(CALL_MS, until)).catch(asUnavailable);
  }

  /** Whether the bytes that were looked at were still there to be copied. */
  async function copy(from: string, to: string, etag: string, type: string, until: number): Promise<boolean> {
    const command = new CopyObjectCommand({
      Bucket,
      Key: to,
      // Not `encodeURI`: a plus that it leaves is read as a space.
      CopySource: [Bucket, ...from.split('/')].map(encodeURIComponent).join('/'),
      CopySourceIfMatch: etag,
      MetadataDirective: 'REPLACE',
      ContentType: type,
    });
    try {
      await client.send(command, limited(COPY_MS, until));
      return true;
    } catch (error) {
      return isOverwritten(error) || isNotThere(error) ? false : asUnavailable(error);
    }
  }

  return {
    settlesInMs: SETTLES_IN_MS,
    uploadUrl: (place, { size, expiresAt }) => {
      const command = new PutObjectCommand({ Bucket, Key: keyOf(place, UPLOAD), ContentLength: size });
      return presign(command, expiresAt, ['content-length']);
    },
    downloadUrl: (place, version, { contentType, disposition, expiresAt }) => {
      const command = new GetObjectCommand({
        Bucket,
        Key: keyOf(place, version),
        ResponseContentType: contentType,
        ResponseContentDisposition: disposition,
      });
      return presign(command, expiresAt, []);
    },
    async keep(place, { size, contentType }) {
      const upload = keyOf(place, UPLOAD);
      const until = performance.now() + KEEP_MS;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const seen = await head(upload, until);
        if (seen === null) {
          await mustHaveBucket(until);
          return { version: null, found: null };
        }
        if (seen.size !== size) return { version: null, found: seen.size };
        const version = versionOf(seen.etag);
        const target = keyOf(place, version);
        // Not copied again: an ETag is often an MD5, and two files can be made that have the same.
        if ((await head(target, until)) !== null) return { version };
        if (await copy(upload, target, seen.etag, contentType, until)) return { version };
      }
      return fail('blobs_unavailable', 'Others kept uploading to the same place.', { retryAfter: 1 });
    },
    async clear(place, but) {
      const Prefix = folderOf(store, place);
      const spared = but === null ? null : Prefix + but;
      let [free, token] = [0, undefined as string | undefined];
      try {
        do {
          const list = { Bucket, Prefix, ...(token && { ContinuationToken: token }) };
          const page = await client.send(new ListObjectsV2Command(list), limited(CALL_MS));
          for (const { Key, Size = 0 } of page.Contents ?? []) {
            if (Key === undefined || Key === spared) continue;
            // One by one: deletion in bulk needs a checksum of its body, on which stores do not agree.
            await client.send(new DeleteObjectCommand({ Bucket, Key }), limited(CALL_MS));
            free += Size;
          }
          token = page.NextContinuationToken;
        } while (token !== undefined);
      } catch (error) {
        return asUnavailable(error);
      }
      return free;
    },
    async close() {
      client.destroy();
      signer.destroy();
    },
  };
}

function clientConfig({ region, endpoint, pathStyle }: S3Url): S3ClientConfig {
  return {
    region,
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // Else the checksum of an empty body is signed into the URL, and every other body is refused.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 1_500 },
  };
}

/** One signal, not several joined: Node forgets a timeout that only `AbortSignal.any` refers to. */
function limited(milliseconds: number, until = Infinity): { abortSignal: AbortSignal } {
  const left = Math.min(milliseconds, until - performance.now());
  return { abortSignal: AbortSignal.timeout(Math.max(0, Math.ceil(left))) };
}

/** No name that a client says: ids of ours, checked once more. */
function folderOf({ prefix }: S3Url, { team, artifact }: BlobPlace): string {
  if (!isId('team', team) || !isId('artifact', artifact)) fail('not_found', 'There is no such file.');
  return `${prefix}${team}/${artifact}/`;
}

/** The same bytes are the same version. An ETag may hold anything but a quote; a key of ours does not. */
function versionOf(etag: string): string {
  const plain = etag.replace(/^(?:W\/)?"|"$/g, '');
  return /^[\da-z-]{1,64}$/i.test(plain) ? `v-${plain}` : createHash('sha256').update(etag).digest('hex');
}

/** What S3 stores answer, as the port tells it. */
type S3Fault = { name?: string; $metadata?: { httpStatusCode?: number } };

/** The object is not there. A bucket that is not there is a fault of whoever set it up, not an answer. */
export function isNotThere(error: unknown): boolean {
  const { name, $metadata } = error as S3Fault;
  return name !== 'NoSuchBucket' && $metadata?.httpStatusCode === 404;
}

/** The object is another one by now: 412, or 409 where two writes met. */
export function isOverwritten(error: unknown): boolean {
  const status = (error as S3Fault).$metadata?.httpStatusCode;
  return status === 412 || status === 409;
}

/** @throws LedgerError `blobs_unavailable` */
export function asUnavailable(error: unknown): never {
  return fail('blobs_unavailable', 'The file storage does not answer as it should.', { cause: error });
}
