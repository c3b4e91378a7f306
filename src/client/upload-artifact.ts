/** Uploads one file as an artifact of a result, in three calls. */
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { limits } from '../limits.js';
import type { Caller, CallOptions } from './call.js';
import { errorOf, failCall } from './errors.js';
import type { ArtifactRecord, CreateArtifact, CreatedArtifact } from './api.generated.js';
import { parsed } from './read-body.js';
import { send, type Content } from './send.js';

export type ArtifactToUpload = Source & {
  resultId: string;
  /** The name of the file for people. */
  label: string;
  /** By default that of the content type. */
  kind?: ArtifactRecord['kind'] | undefined;
  contentType: string;
  testStep?: string;
  metadata?: Record<string, unknown>;
};

/** One of the three. A stream is kept in a temporary file first, because its size is announced and it can be sent once. */
type Source = { path: string } | { bytes: Uint8Array } | { stream: AsyncIterable<Uint8Array | string> };

export type UploadOptions = CallOptions & {
  /** Names the upload: see `SubmitOptions`. */
  idempotencyKey?: string;
};

/**
 * Announces the artifact, sends its file, and confirms it. Each step is repeated where a repeat can help.
 * @throws TestledgerError; `invalid_call` for a file that is empty or too large; the fault of the file itself.
 */
export async function uploadInSteps(
  caller: Caller,
  artifact: ArtifactToUpload,
  options: CallOptions & { idempotencyKey: string },
): Promise<ArtifactRecord> {
  const file = await openContent(artifact);
  try {
    return await uploadFile(caller, artifact, file, options);
  } finally {
    await file.close();
  }
}

async function uploadFile(
  caller: Caller,
  artifact: ArtifactToUpload,
  file: OpenContent,
  { idempotencyKey, ...options }: CallOptions & { idempotencyKey: string },
): Promise<ArtifactRecord> {
  if (file.size === 0) failCall(`"${artifact.label}" is empty. An artifact has at least one byte.`);
  if (file.size > limits.artifactBytes) failTooLarge(artifact.label);

  const announced = await caller.call<CreatedArtifact>('POST', '/v1/test/artifact/', {
    ...options,
    content: JSON.stringify(announcementOf(artifact, file.size)),
    idempotencyKey,
  });
  await put(caller, announced, file, options);
  return caller.call<ArtifactRecord>('POST', `/v1/test/artifact/${announced.artifact_id}/confirm`, {
    ...options,
    idempotencyKey: `${idempotencyKey}.confirm`,
  });
}

export function announcementOf(artifact: ArtifactToUpload, size: number): CreateArtifact {
  const { resultId, label, contentType, kind = kindOf(contentType), testStep, metadata } = artifact;
  return {
    test_result_id: resultId,
    label,
    kind,
    content_type: contentType,
    size_bytes: size,
    ...(testStep !== undefined && { test_step: testStep }),
    ...(metadata && { metadata }),
  };
}

function kindOf(contentType: string): ArtifactRecord['kind'] {
  if (contentType.startsWith('image/')) return 'Image';
  if (contentType.startsWith('video/')) return 'Video';
  return contentType.startsWith('text/') ? 'Log' : 'Other';
}

/** Sends the file to its signed URL, without the API key: the storage may be that of another company. */
async function put(
  caller: Caller,
  { upload_url, upload_headers }: CreatedArtifact,
  file: OpenContent,
  { signal }: CallOptions,
): Promise<void> {
  const answer = await send(caller.sending, {
    method: 'PUT',
    url: caller.urlOf(upload_url),
    headers: { ...upload_headers, ...file.headers },
    timeoutMs: limits.uploadMs,
    signal,
    answer: 'any',
    body: () => file.body(),
  });
  if (!answer.ok) throw errorOf(answer, parsed(answer.text));
}

/** `headers`: what `fetch` does not know of the body. */
type OpenContent = {
  size: number;
  headers: Record<string, string>;
  body(): Content;
  close(): Promise<void>;
};

async function openContent(content: Source): Promise<OpenContent> {
  if ('bytes' in content) {
    const bytes = content.bytes as Uint8Array<ArrayBuffer>;
    return { size: bytes.length, headers: {}, body: () => bytes, close: async () => {} };
  }
  if ('path' in content) return { ...(await fileContent(content.path)), close: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'testledger-upload-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'content');
    await keep(content.stream, path);
    return { ...(await fileContent(path)), close: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fileContent(path: string): Promise<Omit<OpenContent, 'close'>> {
  const { size } = await stat(path);
  // A log may grow while it is sent, and more bytes than were announced would be refused.
  const end = Math.max(size - 1, 0);
  const body = () => Readable.toWeb(createReadStream(path, { end })) as unknown as ReadableStream;
  // The length is signed, and a stream would be sent without one. That of bytes is sent by `fetch`: a second one is refused where a
  // program has the package undici beside the `fetch` of Node 20.
  return { size, headers: { 'content-length': String(size) }, body };
}

/** Writes a stream to a file, and not more of it than an artifact may have. */
async function keep(stream: AsyncIterable<Uint8Array | string>, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > limits.artifactBytes) failTooLarge('The stream');
      await file.writeFile(bytes);
    }
  } finally {
    await file.close();
  }
}

function failTooLarge(what: string): never {
  return failCall(`"${what}" has more than the ${limits.artifactBytes} bytes that an artifact may have.`);
}
