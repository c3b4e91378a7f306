/** Decides whether a browser shows the file of an artifact or saves it, and under which name. */
import { create } from 'content-disposition';
import { shownAs } from '../domain/artifact/shown-media.js';
import { essenceOf, isMediaType } from '../validation/media-type.js';

/**
 * Returns the `Content-Disposition` for a file of this type and label, in ASCII. A browser shows only types that cannot
 * run a script. HTML, SVG and XML would run a script with the rights of the user, so all types not listed are saved.
 */
export function contentDispositionOf(contentType: string, label: string): string {
  const type = isMediaType(contentType) && shownAs(essenceOf(contentType)) !== null ? 'inline' : 'attachment';
  const name = fileName(label);
  // The name for old clients has no `%`, because some of them decode it.
  return create(name, { type, fallback: name.replace(/[^\x20-\x7e]|%/gu, '_') });
}

const MAX_BYTES = 200;
const MAX_EXTENSION = 20;

/** Turns a label into a file name for any system: it names no folder and no device, hides nothing, and is not too long. */
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

/** Cuts a long name before its extension, which says what the file is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const extension = new RegExp(`\\.[^.\\s]{1,${MAX_EXTENSION}}$`, 'u').exec(name)?.[0] ?? '';
  const room = MAX_BYTES - Buffer.byteLength(extension);
  let [start, used] = ['', 0];
  // By code point, so that no character is cut in half.
  for (const character of name.slice(0, name.length - extension.length)) {
    used += Buffer.byteLength(character);
    if (used > room) break;
    start += character;
  }
  return start.trimEnd() + extension;
}
