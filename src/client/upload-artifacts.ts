/** Uploads files as artifacts: small ones many in a call, each larger one in calls of its own. */
import { createHash, randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { limits } from '../limits.js';
import type { ArtifactOutcome, ArtifactRecord } from './api.generated.js';
import type { Caller, CallOptions } from './call.js';
import { TestledgerError } from './errors.js';
import {
  announcementOf,
  uploadInSteps,
  type ArtifactToUpload,
  type UploadOptions,
} from './upload-artifact.js';
import { maskedFile } from './masking/masked-file.js';
import { noMasker, type Masker } from './masking/masker.js';

/** `idempotencyKey` names the upload of the file: see `SubmitOptions`. */
export type NamedArtifact = ArtifactToUpload & { idempotencyKey?: string };

/** What became of one file. The error is a `TestledgerError`, or the fault of the file itself. */
export type Uploaded =
  { artifact: ArtifactRecord; error: null } | { artifact: null; error: Error & { code?: string } };

/** The files of one call. `items` is the content of the call, one for each file; null for a file that goes alone. */
export type UploadGroup<F extends NamedArtifact = NamedArtifact> = {
  files: readonly F[];
  items: readonly string[] | null;
};

/** Calls, or larger files, at the same time. Each call is held in memory. */
const GROUPS_AT_ONCE = 2;
/** Room for what stands around the items. */
const CALL_BYTES = limits.bodyBytes - 100;

/** As `uploadArtifacts`, for one. @throws TestledgerError; the fault of the file itself */
export async function uploadArtifact(
  caller: Caller,
  artifact: ArtifactToUpload,
  { idempotencyKey = randomUUID(), ...options }: UploadOptions & { masker?: Masker } = {},
): Promise<ArtifactRecord> {
  const [uploaded] = await uploadArtifacts(caller, [{ ...artifact, idempotencyKey }], options);
  if (uploaded!.error !== null) throw uploaded!.error;
  return uploaded!.artifact;
}

/**
 * Uploads files, and returns what became of each, in their order. One that fails leaves the others as they are. Each
 * call is repeated where a repeat can help.
 * @throws the reason of `signal`
 */
export async function uploadArtifacts(
  caller: Caller,
  artifacts: readonly NamedArtifact[],
  { masker = noMasker, ...options }: CallOptions & { masker?: Masker } = {},
): Promise<Uploaded[]> {
  const outcomes: Uploaded[] = Array.from({ length: artifacts.length });
  const numbered = artifacts.map((artifact, place) => ({ idempotencyKey: randomUUID(), ...artifact, place }));
  const groups = groupsOf(numbered, masker);
  const work = async () => {
    for await (const group of groups) {
      const uploaded = await uploadGroup(caller, group, options).catch((error: Error) => {
        options.signal?.throwIfAborted();
        return group.files.map((): Uploaded => ({ artifact: null, error }));
      });
      for (const [n, { place }] of group.files.entries()) outcomes[place] = uploaded[n]!;
    }
  };
  await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, work));
  return outcomes;
}

/** Reads files, and yields them in groups that one call takes. A group begins to wait for no file: it ends with them. */
export async function* groupsOf<F extends NamedArtifact>(
  files: Iterable<F>,
  masker: Masker,
): AsyncGenerator<UploadGroup<F>> {
  let [group, items] = [[] as F[], [] as string[]];
  let [bytes, values] = [0, 0];
  for (const given of files) {
    const file = masker === noMasker ? given : await maskedFile(given, masker);
    const content = await smallContent(file);
    if (content === null) {
      yield { files: [file], items: null };
      continue;
    }
    const item = JSON.stringify({
      ...announcementOf(file, content.length),
      content: content.toString('base64'),
    });
    const [ownBytes, ownValues] = [Buffer.byteLength(item) + 1, file.metadata ? item.split(',').length : 0];
    const isFull =
      group.length === limits.artifactsPerBatch ||
      bytes + ownBytes > CALL_BYTES ||
      values + ownValues > limits.metadataValues;
    if (isFull && group.length > 0) {
      yield { files: group, items };
      [group, items] = [[], []];
      [bytes, values] = [0, 0];
    }
    group.push(file);
    items.push(item);
    bytes += ownBytes;
    values += ownValues;
  }
  if (group.length > 0) yield { files: group, items };
}

/**
 * Uploads a group, and returns what became of each file.
 * @throws TestledgerError where that is the same for all of them; the fault of a file that goes alone
 */
export async function uploadGroup(
  caller: Caller,
  { files, items }: UploadGroup,
  options: CallOptions = {},
): Promise<Uploaded[]> {
  const keys = files.map(({ idempotencyKey = randomUUID() }) => idempotencyKey);
  if (items === null) {
    const artifact = await uploadInSteps(caller, files[0]!, { ...options, idempotencyKey: keys[0]! });
    return [{ artifact, error: null }];
  }
  const content = `{"artifacts":[${items.join()}]}`;
  // A call with the same files is the same call; one with some of them is another one.
  const key = createHash('sha256').update(JSON.stringify(keys)).update(content).digest('hex');
  try {
    const answer = await caller.call<{ items: ArtifactOutcome[] }>('POST', '/v1/test/artifact/batch', {
      ...options,
      content,
      idempotencyKey: `files-${key}`,
    });
    return answer.items.map(outcomeOf);
  } catch (error) {
    const wrong = wrongPlaces(error);
    if (wrong.size === 0) throw error;
    // One wrong file refuses the whole call.
    const isRight = (_: unknown, n: number) => !wrong.has(n);
    const rest = { files: files.filter(isRight), items: items.filter(isRight) };
    const others = rest.files.length === 0 ? [] : await uploadGroup(caller, rest, options);
    return files.map((_, n) => (wrong.has(n) ? { artifact: null, error: error as Error } : others.shift()!));
  }
}

/** The places of the files that an answer calls wrong. */
function wrongPlaces(error: unknown): ReadonlySet<number> {
  if (!(error instanceof TestledgerError) || error.code !== 'validation_failed') return new Set();
  const places = error.fields.flatMap(({ pointer }) => /^\/artifacts\/(\d+)/.exec(pointer)?.[1] ?? []);
  return new Set(places.map(Number));
}

function outcomeOf({ artifact, error }: ArtifactOutcome): Uploaded {
  if (error === null) return { artifact: artifact!, error };
  const { code, status, detail } = error;
  return { artifact: null, error: new TestledgerError(code, `${code}: ${detail}`, { status }) };
}

/** Null for a file that goes alone: it is large, empty or a stream, or cannot be read. That says what is wrong with it. */
async function smallContent(artifact: ArtifactToUpload): Promise<Buffer | null> {
  const content = await contentOf(artifact);
  return content !== null && content.length > 0 && content.length <= limits.artifactContentBytes
    ? content
    : null;
}

async function contentOf(artifact: ArtifactToUpload): Promise<Buffer | null> {
  if ('bytes' in artifact) {
    const { buffer, byteOffset, byteLength } = artifact.bytes;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  if (!('path' in artifact)) return null;
  try {
    const facts = await stat(artifact.path);
    if (!facts.isFile() || facts.size > limits.artifactContentBytes) return null;
    const file = await open(artifact.path);
    try {
      // Not what a log has grown by since.
      const { size } = facts;
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size), position: 0 });
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
