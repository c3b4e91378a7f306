import type { SaxesParser } from 'saxes';
import { excerpt, type Place } from '../import-error.js';
import { ReportFault } from '../report.js';
import type { Hidden } from './saxes-state.js';

export type Places = {
  /** Hands the next piece to the parser. */
  write(text: string): void;
  /** Where the parser is. */
  now(): Place;
  /** The fault of the ampersand before the place where the parser is. */
  unescapedAmpersand(): ReportFault;
};

/** Places for errors. The parser keeps no text, so its last piece and the end of the one before are kept here. */
export function openPlaces(parser: SaxesParser, hidden: Hidden): Places {
  let before = '';
  let piece = '';
  let charactersBefore = 0;
  let isWriting = false;

  const now = (): Place => placeAt(here());

  /** Where the parser is in the piece. Between two pieces, its own position counts the last one twice. */
  function here(): number {
    return isWriting ? Math.max(0, parser.position - charactersBefore) : piece.length;
  }

  /** The place of a character of the piece: of the one at which the parser is, or of one that it has passed. */
  function placeAt(at: number): Place {
    const passed = piece.slice(at, Math.max(at, here()));
    const line = parser.line - (passed.split('\n').length - 1);
    const start = piece.slice(0, at);
    const column =
      line === parser.line ? parser.columnIndex - passed.length + 1 : start.length - start.lastIndexOf('\n');
    return { line, column, near: excerpt((before + start).slice(-40), piece.slice(at, at + 40)) };
  }

  function unescapedAmpersand(): ReportFault {
    const at = piece.lastIndexOf('&', here());
    const found = at === -1 ? beforePiece() : placeAt(at);
    return new ReportFault('malformed', 'An ampersand is not escaped.', found);
  }

  /** The place of an ampersand that stands in an earlier piece, by the reference that began with it. */
  function beforePiece(): Place {
    const { line, column, near } = now();
    const lines = hidden.entity.split('\n').length - 1;
    return lines > 0
      ? { line: line - lines, column: 1, near }
      : { line, column: column - hidden.entity.length - 1, near };
  }

  return {
    write(text) {
      before = piece.slice(-40);
      charactersBefore += piece.length;
      piece = text;
      isWriting = true;
      parser.write(text);
      isWriting = false;
    },
    now,
    unescapedAmpersand,
  };
}
