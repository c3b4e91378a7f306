/** Whether a browser shows a file of an artifact or saves it, and under which name. */
import { create } from 'content-disposition';
import { essenceOf, isMediaType } from '../validation/media-type.js';

/**
 * The `Content-Disposition` for a file of this type and label, in ASCII. Only what cannot run a script is shown: HTML,
 * SVG and XML would run it with the rights of whoever looks, so all that is not listed here is saved.
 */
export function contentDispositionOf(contentType: string, label: string): string {
  const type = isMediaType(contentType) && shown.has(essenceOf(contentType)) ? 'inline' : 'attachment';
  const name = fileName(label);
  // The name for old clients: no `%`, which some of them decode.
  return create(name, { type, fallback: name.replace(/[^\x20-\x7e]|%/gu, '_') });
}

const shown = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp'].map((name) => `image/${name}`),
  ...['mp4', 'webm', 'ogg', 'quicktime'].map((name) => `video/${name}`),
  ...['mpeg', 'mp4', 'aac', 'ogg', 'webm', 'flac', 'wav', 'x-wav', 'wave'].map((name) => `audio/${name}`),
  'text/plain',
  'application/json',
]);

const MOST_BYTES = 200;
const MOST_EXTENSION = 20;

/** A label as the name of a file on any system: it names no folder and no device, hides nothing, and is not too long. */
function fileName(label: string): string {
  const plain = label
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_')
    .replace(/^[\s.]+|[\s.]+$/gu, '');
  const short = shortened(plain);
  if (short === '') return 'artifact';
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(short) ? `_${short}` : short;
}

/** The end stays: it says what the file is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  const extension = new RegExp(`\\.[^.\\s]{1,${MOST_EXTENSION}}$`, 'u').exec(name)?.[0] ?? '';
  const room = MOST_BYTES - Buffer.byteLength(extension);
  let [start, used] = ['', 0];
  // By code point: half a character is none.
  for (const character of name.slice(0, name.length - extension.length)) {
    used += Buffer.byteLength(character);
    if (used > room) break;
    start += character;
  }
  return start.trimEnd() + extension;
}
