import { Buffer } from 'node:buffer';
import Tokenizer, { TokenizerError } from '@streamparser/json/tokenizer.js';
import TokenParser, { TokenParserError } from '@streamparser/json/tokenparser.js';
import TokenType from '@streamparser/json/utils/types/tokenType.js';
import { excerpt, type Place } from '../import-error.js';
import { ReportFault } from '../report.js';

/** Objects and lists may be nested this deep. */
const LEVELS = 200;
/** One value that is handed on may have this many characters: one test of CTRF, or one file of Playwright. */
const VALUE = 64 * 1_024 * 1_024;

export type JsonPath = readonly (string | number)[];

export type JsonReader = {
  write(text: string): void;
  end(): void;
  /** The keys of the values that are open, the outermost first, and the first of those values with what it has so far. */
  open(): { path: JsonPath; valueAt(depth: number): unknown };
};

/** Reads a document in pieces, and hands on the values at `paths` only: all others are forgotten once they are read. */
export function jsonReader(
  paths: readonly string[],
  found: (path: JsonPath, value: unknown) => void,
): JsonReader {
  const tokenizer = new Tokenizer();
  const parser = new TokenParser({ paths: [...paths], keepStack: false });
  let depth = 0;
  let sinceValue = 0;
  let line = 1;
  let column = 1;
  let before = '';
  let piece = '';
  let bytesBefore = 0;
  let offset = 0;
  let isWhole = false;

  tokenizer.onToken = (token) => {
    offset = token.offset;
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1;
    else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth > LEVELS)
      throw new ReportFault('too_deep', `Values are nested more than ${LEVELS} levels deep.`, place());
    parser.write(token);
  };
  tokenizer.onError = raise;
  parser.onError = raise;
  parser.onValue = ({ value, key, stack }) => {
    sinceValue = 0;
    const path = stack.slice(1).flatMap((level) => (level.key === undefined ? [] : [level.key]));
    found(key === undefined ? path : [...path, key], value);
  };
  parser.onEnd = () => {
    isWhole = true;
  };

  function raise(error: Error): never {
    // The library passes on what `found` throws, too. A fault of an importer is no fault of the report.
    if (!(error instanceof TokenizerError || error instanceof TokenParserError)) throw error;
    const at = /position "(\d+)"\)/.exec(error.message)?.[1];
    if (at !== undefined) offset = Number(at);
    throw new ReportFault('malformed', 'The JSON is malformed.', place());
  }

  function place(): Place {
    // Offsets count bytes of UTF-8.
    const at = Buffer.from(piece)
      .subarray(0, Math.max(0, offset - bytesBefore))
      .toString().length;
    const start = piece.slice(0, at);
    const lines = start.split('\n');
    return {
      line: line + lines.length - 1,
      column: lines.length === 1 ? column + start.length : lines.at(-1)!.length + 1,
      near: excerpt(before + start, piece.slice(at, at + 40)),
    };
  }

  /** Counts the lines of the piece before the next one. */
  function pass(): void {
    const lines = piece.split('\n');
    line += lines.length - 1;
    column = lines.length === 1 ? column + piece.length : lines.at(-1)!.length + 1;
    bytesBefore += Buffer.byteLength(piece);
    before = piece.slice(-40);
  }

  return {
    open: () => openIn(parser),
    write(text) {
      pass();
      // A mark that stands there after the one that the decoder takes.
      piece = bytesBefore === 0 ? text.replace(/^\ufeff+/, '') : text;
      sinceValue += piece.length;
      if (sinceValue > VALUE)
        throw new ReportFault('too_large', `One value has more than ${VALUE} characters.`, place());
      if (isWhole && piece.trim() === '') return;
      tokenizer.write(piece);
    },
    end() {
      offset = bytesBefore + Buffer.byteLength(piece);
      if (!isWhole) throw new ReportFault('incomplete', 'The file ends before the report does.', place());
    },
  };
}

/** The library does not show what a document has before the place where it is cut off. */
function openIn(parser: TokenParser): ReturnType<JsonReader['open']> {
  type Level = { key: JsonPath[number]; value: unknown };
  const { stack, value } = parser as unknown as { stack: Level[]; value: unknown };
  const levels = stack.slice(1);
  const values = [...levels.map((level) => level.value), value];
  return { path: levels.map(({ key }) => key), valueAt: (depth) => values[depth] };
}
