import { SaxesParser } from 'saxes';
import { excerpt, type ImportErrorCode, type Place } from '../import-error.js';
import { ReportFault } from '../report.js';
import { cutPlace, mender, mendText, referredCharacter } from './characters.js';

/** Elements may be nested this deep. A report has about ten levels. */
const LEVELS = 1_000;
/** The start tag of one element, with its attributes, may have this many characters. */
const TAG = 8 * 1_024 * 1_024;
/** A text is handed on when this much of it is there, so that a text of 60 MB is never in memory. */
const TEXT = 32 * 1_024;
/** A reference, such as `&amp;`, has fewer characters. The parser would look for its end up to the end of the file. */
const REFERENCE = 64;

export type Attributes = Readonly<Record<string, string>>;

/** Receives the elements of a document. Names come without their prefix, and one text comes in several pieces. */
export type XmlHandler = {
  open(tag: string, attributes: Attributes): void;
  text(piece: string): void;
  close(tag: string): void;
};

export type XmlReader = {
  write(text: string): void;
  end(): void;
  place(): Place;
  line(): number;
  /** How many illegal characters were mended. */
  mended(): number;
  /** How many white characters stood before the XML declaration. */
  leading(): number;
};

/**
 * Reads a document in pieces. Document types are skipped, and an entity that XML itself does not define is an error:
 * no text can grow, and no file is read.
 */
export function xmlReader(handler: XmlHandler): XmlReader {
  const parser = new SaxesParser();
  // Without a prototype: `&constructor;` is no entity.
  parser.ENTITIES = Object.assign(Object.create(null) as object, {
    amp: '&',
    gt: '>',
    lt: '<',
    quot: '"',
    apos: "'",
  });
  const hidden = parser as unknown as Hidden;
  const { mend, rest, count } = mender();
  let started = false;
  let ended = false;
  let leading = 0;
  let depth = 0;
  let tagLength: number | null = null;
  let references = 0;
  /** Whether the text or the attributes have the character of an illegal reference. */
  let unmended = false;
  let isMalformed = false;
  let before = '';
  let piece = '';
  let charactersBefore = 0;
  let isWriting = false;

  parser.on('error', (error) => {
    const detail = error.message.replace(/^\d+:\d+: /, '');
    if (detail === 'malformed character entity.') {
      isMalformed = true;
      references += 1;
    } else if (detail === 'the string "]]>" is disallowed in char data.') {
      references += 1;
    } else if (ended && hidden.entity !== '') {
      throw unescapedAmpersand();
    } else if (ended && /^(?:unclosed tag|unexpected end|document must contain a root)/.test(detail)) {
      throw fault('incomplete', 'The file ends before the report does.');
    } else if (detail === 'disallowed character in entity name.' || detail === 'empty entity name.') {
      throw unescapedAmpersand();
    } else {
      throw fault('malformed', sentence(detail));
    }
  });
  // Only here is a reference known from a text that looks like one, such as `&amp;#27;`.
  const parseEntity = hidden.parseEntity.bind(parser);
  hidden.parseEntity = (entity) => {
    const parsed = parseEntity(entity);
    if (!isMalformed) return parsed;
    isMalformed = false;
    unmended = true;
    return referredCharacter(entity);
  };
  parser.on('opentagstart', () => {
    tagLength = 0;
    unmended = false;
  });
  parser.on('opentag', ({ name, attributes }) => {
    tagLength = null;
    depth += 1;
    if (depth > LEVELS) throw fault('too_deep', `Elements are nested more than ${LEVELS} levels deep.`);
    handler.open(local(name), unmended ? mendedAttributes(attributes) : attributes);
    unmended = false;
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    unmended = false;
    handler.close(local(name));
  });
  parser.on('text', (text) => endText(text, false));
  parser.on('cdata', (text) => endText(text, true));

  function endText(text: string, isCdata: boolean): void {
    handText(text, isCdata);
    unmended = false;
  }

  function handText(text: string, isCdata: boolean): void {
    if (depth === 0 || text === '') return;
    // A writer that escapes only the end mark of a CDATA section writes `]]&gt;` for it.
    const whole = isCdata && text.includes(']]&gt;') ? text.replaceAll(']]&gt;', ']]>') : text;
    handler.text(unmended ? mendText(whole).text : whole);
  }

  /** The parser keeps a text until its end, whatever its length: this takes out what it has. */
  function takeText(): void {
    const { text, state } = hidden;
    if (text.length < TEXT) return;
    if (state === states.text || state === states.cdata) {
      const end = cutPlace(text);
      hidden.text = text.slice(end);
      handText(text.slice(0, end), state === states.cdata);
    } else if (state === states.comment) {
      hidden.text = '';
    } else if (text.length > TAG) {
      throw fault('too_large', `A declaration has more than ${TAG} characters.`);
    }
  }

  function feed(text: string): void {
    if (text === '') return;
    before = piece.slice(-40);
    charactersBefore += piece.length;
    piece = text;
    isWriting = true;
    parser.write(text);
    isWriting = false;
    takeText();
    if (tagLength !== null && (tagLength += text.length) > TAG) {
      throw fault('too_large', `A start tag has more than ${TAG} characters.`);
    }
    if (hidden.entity.length > REFERENCE) throw unescapedAmpersand();
    if (hidden.name.length > TAG) {
      throw fault('too_large', `A name has more than ${TAG} characters.`);
    }
  }

  function place(): Place {
    return placeAt(here());
  }

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
    const { line, column, near } = place();
    const lines = hidden.entity.split('\n').length - 1;
    return lines > 0
      ? { line: line - lines, column: 1, near }
      : { line, column: column - hidden.entity.length - 1, near };
  }

  function fault(code: ImportErrorCode, detail: string): ReportFault {
    return new ReportFault(code, detail, place());
  }

  return {
    write(text) {
      let mended = mend(text);
      if (!started) {
        const trimmed = mended.replace(/^[\s\ufeff]+/, '');
        leading += mended.length - trimmed.length;
        mended = trimmed;
        started = mended !== '';
      }
      feed(mended);
    },
    end() {
      feed(rest());
      ended = true;
      parser.close();
    },
    place,
    line: () => parser.line,
    mended: () => count() + references,
    leading: () => leading,
  };
}

/** Fields of the parser that its types hide. Its interface is frozen, and `states` fails where they are gone. */
type Hidden = {
  text: string;
  name: string;
  entity: string;
  state: number;
  parseEntity: (entity: string) => string;
};

const states = (() => {
  const parser = new SaxesParser();
  parser.on('text', () => {});
  parser.on('cdata', () => {});
  parser.on('comment', () => {});
  const hidden = parser as unknown as Hidden;
  const stateAfter = (text: string): number => {
    parser.write(text);
    if (hidden.text !== 'x' || typeof hidden.parseEntity !== 'function')
      throw new Error('This version of saxes keeps its text elsewhere.');
    return hidden.state;
  };
  return { text: stateAfter('<a>x'), cdata: stateAfter('<![CDATA[x'), comment: stateAfter(']]><!--x') };
})();

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function mendedAttributes(attributes: Attributes): Attributes {
  const mended: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) mended[name] = mendText(value).text;
  return mended;
}

function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1).replace(/\.?$/, '.')}`;
}
