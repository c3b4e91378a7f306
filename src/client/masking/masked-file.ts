/** Files without secrets: what is text is masked before it is sent. */
import { isUtf8 } from 'node:buffer';
import { open, stat } from 'node:fs/promises';
import type { ArtifactToUpload } from '../upload-artifact.js';
import type { Masker } from './masker.js';

/** A larger file is sent as it is: masked, its size is known only at its end, and a reporter is a guest in memory. */
const MOST_BYTES = 10 * 1024 * 1024;
/** A text has no NUL, and pictures, films and archives have one soon. */
const LOOKED_AT = 8_192;

/** @throws nothing: a file that cannot be read is told by its upload. */
export async function maskedFile<F extends ArtifactToUpload>(file: F, masker: Masker): Promise<F> {
  const label = masker.name(file.label);
  const content = await contentOf(file, masker);
  const given = label === file.label ? file : { ...file, label };
  if (content === null || !isText(content, file.contentType)) return given;
  const { path: _, stream: __, ...rest } = given as F & { path?: unknown; stream?: unknown };
  // Also where nothing was masked: a log may have grown since.
  return { ...rest, bytes: maskedBytes(content, masker) } as unknown as F;
}

async function contentOf(file: ArtifactToUpload, masker: Masker): Promise<Buffer | null> {
  if ('bytes' in file) {
    const { buffer, byteOffset, byteLength } = file.bytes;
    if (byteLength <= MOST_BYTES) return Buffer.from(buffer, byteOffset, byteLength);
    if (isText(Buffer.from(buffer, byteOffset, LOOKED_AT), file.contentType)) masker.leftOut();
    return null;
  }
  if (!('path' in file)) return null;
  try {
    const facts = await stat(file.path);
    if (!facts.isFile() || facts.size === 0) return null;
    const isWhole = facts.size <= MOST_BYTES;
    const handle = await open(file.path);
    try {
      const buffer = Buffer.alloc(isWhole ? facts.size : LOOKED_AT);
      const { bytesRead } = await handle.read({ buffer, position: 0 });
      const content = buffer.subarray(0, bytesRead);
      if (isWhole) return content;
      if (isText(content, file.contentType)) masker.leftOut();
      return null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

const textTypes = /^text\/|[/+](?:json|xml|yaml|x-yaml|x-ndjson|javascript|x-www-form-urlencoded)\b/;

function isText(content: Buffer, contentType: string): boolean {
  return textTypes.test(contentType) || isUtf16(content) || !content.subarray(0, LOOKED_AT).includes(0);
}

/** What Windows writes by default. */
function isUtf16(content: Buffer): boolean {
  return content[0] === 0xff && content[1] === 0xfe;
}

function maskedBytes(content: Buffer, masker: Masker): Buffer {
  // Latin-1 has a character for each byte, so the bytes that are no secret stay the same in every encoding.
  const encoding = isUtf16(content) ? 'utf16le' : isUtf8(content) ? 'utf8' : 'latin1';
  const text = content.toString(encoding);
  const masked = masker.text(text);
  return masked === text ? content : Buffer.from(masked, encoding);
}
