import { TextDecoder } from 'node:util';
import { ImportError } from './import-error.js';

/** A piece of text is at most this long, which bounds how far a parser goes between two checks. */
const PIECE = 32 * 1_024;
/** An XML declaration that names an encoding stands within these bytes. */
const DECLARATION = 1_024;

/**
 * The text of a report, in pieces. The encoding is that of a byte order mark, else of an XML declaration, else UTF-8.
 * A byte that the encoding does not have becomes U+FFFD.
 */
export async function* decode(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let head = new Uint8Array(0);
  for await (const chunk of bytes) {
    if (decoder === null) {
      head = Buffer.concat([head, chunk]);
      if (head.length < DECLARATION) continue;
      decoder = decoderFor(head, file);
      yield* pieces(decoder, head);
    } else {
      yield* pieces(decoder, chunk);
    }
  }
  if (decoder === null) {
    decoder = decoderFor(head, file);
    yield* pieces(decoder, head);
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

function* pieces(decoder: TextDecoder, bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const text = decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
    if (text !== '') yield text;
  }
}

function decoderFor(head: Uint8Array, file: string): TextDecoder {
  const label = encodingOf(head);
  try {
    return new TextDecoder(label);
  } catch (error) {
    const detail = `The encoding ${JSON.stringify(label)} is not known.`;
    throw new ImportError('unknown_encoding', detail, file, null, null, { cause: error });
  }
}

function encodingOf(head: Uint8Array): string {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a !== 0 && b === 0 && d === 0) return 'utf-16le';
  if (a === 0 && b !== 0 && c === 0) return 'utf-16be';
  const start = Buffer.from(head.subarray(0, DECLARATION)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1] ?? 'utf-8';
  // Writers of .NET name UTF-16, the encoding of the string in memory, and then write UTF-8.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
