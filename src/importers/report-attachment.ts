import { Buffer } from 'node:buffer';
import { lookup } from 'mime-types';
import { cutText } from './values/bounded-text.js';
import type { ReportAttachment } from './entry.js';

/** Longer paths than operating systems have are not paths. */
const PATH = 4_096;
const LABEL = 255;
const UNKNOWN_TYPE = 'application/octet-stream';

/** A file as a report names it: a path, a URL, or the bytes themselves as a data URL. Null for an empty text. */
export function attachmentOf(written: string, name?: string, contentType?: string): ReportAttachment | null {
  const text = written.trim();
  if (text === '') return null;
  if (text.startsWith('data:')) return inlineAttachment(text, name);
  if (text.length > PATH) return null;
  const file = name ?? lastSegment(text);
  const type = contentType ?? contentTypeOf(lastSegment(text)) ?? contentTypeOf(file) ?? UNKNOWN_TYPE;
  const common = { name: labelOf(file), content_type: type };
  return /^https?:\/\//i.test(text)
    ? { source: 'url', url: text, ...common }
    : { source: 'path', path: text, ...common };
}

/** A file whose bytes are in the report, as base64. */
export function bodyAttachment(base64: string, name: string, contentType?: string): ReportAttachment {
  const content_type = contentType ?? contentTypeOf(name) ?? UNKNOWN_TYPE;
  return { source: 'body', body: Buffer.from(base64, 'base64'), name: labelOf(name), content_type };
}

function inlineAttachment(url: string, name?: string): ReportAttachment | null {
  const match = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w-]+=[^;,]*)*)(;base64)?,/.exec(url.slice(0, 1_024));
  if (match === null) return null;
  const [prefix, type = 'text/plain', , base64] = match;
  const data = url.slice(prefix.length);
  const file = name ?? `attachment.${type.split('/')[1] ?? 'bin'}`;
  if (base64 !== undefined) return bodyAttachment(data, file, type);
  return { source: 'body', body: Buffer.from(unescaped(data)), name: labelOf(file), content_type: type };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: the text is what it says.
    return text;
  }
}

function contentTypeOf(name: string): string | null {
  return lookup(name) || null;
}

function lastSegment(path: string): string {
  return (
    path
      .replace(/[?#].*$/, '')
      .split(/[\\/]/)
      .at(-1) || path
  );
}

function labelOf(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return plain === '' ? 'attachment' : cutText(plain, LABEL - 60).replaceAll('\n', ' ');
}

/** Finds the lines `[[ATTACHMENT|path]]` in an output that comes in pieces, also where a piece ends within one. */
export function attachmentLines(found: (path: string) => void): (piece: string) => void {
  const mark = '[[ATTACHMENT|';
  let begun = '';
  return (piece) => {
    if (begun === '' && !piece.includes('[')) return;
    const text = begun + piece;
    for (const match of text.matchAll(/\[\[ATTACHMENT\|([^\n]{1,4096}?)\]\]/g)) found(match[1]!);
    const start = text.lastIndexOf('[[');
    const rest = start === -1 ? '' : text.slice(start);
    const isBegun = rest.length < mark.length ? mark.startsWith(rest) : rest.startsWith(mark);
    const isOpen =
      isBegun && !rest.includes(']]') && !rest.includes('\n') && rest.length <= PATH + mark.length;
    begun = isOpen && rest !== '' ? rest : text.endsWith('[') ? '[' : '';
  };
}
