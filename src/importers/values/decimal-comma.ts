import { Buffer } from 'node:buffer';

/**
 * Whether the durations of an XML report have a comma before the fraction, as those of a Gradle or Surefire with a German
 * locale. `1,234` alone is 1,234 seconds or 1.234; the comma of `0,160` or `12,5` parts no thousands.
 */
export async function hasDecimalComma(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  let rest: string | null = null;
  for await (const piece of bytes) {
    const read = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    if (rest === null && IS_JSON.test(read)) return false;
    const text: string = (rest ?? '') + read;
    if (COMMA.test(text)) return true;
    rest = text.slice(-OVERLAP);
  }
  return false;
}

/** It has numbers of its own. A byte order mark may stand before it. */
const IS_JSON = /^[\s\u00ef\u00bb\u00bf]*[{[]/;
/** In the tag of a suite or a test. Other numbers with a comma say nothing. */
const COMMA =
  /<(?:test[\w-]*|assembly|collection)\s[^<>]{0,2000}?\s(?:time|duration)=(["'])(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))\1/;
/** A tag may lie across two pieces. */
const OVERLAP = 2_500;
