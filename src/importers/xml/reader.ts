import { SaxesParser } from 'saxes';
import type { ImportErrorCode, Place } from '../import-error.js';
import { ReportFault } from '../report.js';
import { cutPlace, mender, mendText, referredCharacter } from './characters.js';
import { openPlaces } from './places.js';
import { states, type Hidden } from './saxes-state.js';

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
  const places = openPlaces(parser, hidden);
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

  parser.on('error', (error) => {
    const detail = error.message.replace(/^\d+:\d+: /, '');
    if (detail === 'malformed character entity.') {
      isMalformed = true;
      references += 1;
    } else if (detail === 'the string "]]>" is disallowed in char data.') {
      references += 1;
    } else if (ended && hidden.entity !== '') {
      throw places.unescapedAmpersand();
    } else if (ended && /^(?:unclosed tag|unexpected end|document must contain a root)/.test(detail)) {
      throw fault('incomplete', 'The file ends before the report does.');
    } else if (detail === 'disallowed character in entity name.' || detail === 'empty entity name.') {
      throw places.unescapedAmpersand();
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
    places.write(text);
    takeText();
    if (tagLength !== null && (tagLength += text.length) > TAG) {
      throw fault('too_large', `A start tag has more than ${TAG} characters.`);
    }
    if (hidden.entity.length > REFERENCE) throw places.unescapedAmpersand();
    if (hidden.name.length > TAG) {
      throw fault('too_large', `A name has more than ${TAG} characters.`);
    }
  }

  function fault(code: ImportErrorCode, detail: string): ReportFault {
    return new ReportFault(code, detail, places.now());
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
    place: places.now,
    line: () => parser.line,
    mended: () => count() + references,
    leading: () => leading,
  };
}

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
