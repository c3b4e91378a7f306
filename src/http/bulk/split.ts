/**
 * Splits the body of a bulk submission into its items without parsing it. Items are parsed later, one at a time, and
 * each is bounded: parsed as a whole, 32 MiB of `[[],[],…` become half a gigabyte of objects, and 32 MiB of `[` crash
 * Node.
 */

export type Split = {
  /** The body with an empty list of results. */
  outline(): string;
  /** Its length in bytes. */
  outlineLength: number;
  /** The number of names that the outermost object has in the text; a duplicate counts twice. */
  outlineNames: number;
  /** The end of each item: the comma after it, or the end of the list. */
  ends: readonly number[];
  /** The number of names that each item has in the text, counted as above. */
  names: readonly number[];
  /** The number of commas in each item: one less than the values in it, or less. */
  commas: readonly number[];
  /** The begin and the end of the list; -1 where there is none. */
  list: { from: number; to: number };
  /** The text of an item, and its begin. */
  item(ordinal: number): string;
  from(ordinal: number): number;
};

/** Why the split stopped; `broken`: the body is not JSON. */
export type NotSplit = 'broken' | 'too deep' | 'too many';

export type SplitLimits = { items: number; depth: number };

const LIST = 'results';

/**
 * Walks over the bytes once. They need not be JSON: where they are not, `broken` is the answer, or the outline or an
 * item does not parse. Where outline and items do parse, the whole is JSON. `text` decodes a range of the bytes.
 * One function, because all steps share the place that the walk has reached.
 */
export function split(
  bytes: Uint8Array,
  text: (from: number, to: number) => string,
  limits: SplitLimits,
): Split | NotSplit {
  const ends: number[] = [];
  const names: number[] = [];
  const commas: number[] = [];
  let [depth, outlineNames, itemNames, itemCommas] = [0, 0, 0, 0];
  /** The begin and end of the last text in the outermost object. */
  let [lastFrom, lastTo] = [0, 0];
  let [listFrom, listTo, from] = [-1, -1, -1];
  let inList = false;

  const endItem = (at: number) => {
    ends.push(at);
    names.push(itemNames);
    commas.push(itemCommas);
    [itemNames, itemCommas] = [0, 0];
    from = at + 1;
  };

  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]!) {
      case QUOTE: {
        const end = endOfText(bytes, at);
        if (depth === 1) [lastFrom, lastTo] = [at, end];
        at = end;
        break;
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > limits.depth) return 'too deep';
        // A second list of that name is a duplicate, which the check of the outline reports.
        if (
          depth === 2 &&
          listFrom === -1 &&
          bytes[at] === OPEN_LIST &&
          isListName(text(lastFrom, lastTo + 1))
        ) {
          inList = true;
          listFrom = at + 1;
          from = listFrom;
        }
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        if (depth < 0) return 'broken';
        if (inList && depth === 1) {
          // Blanks between the brackets are an empty list; blanks after a comma are an item that does not parse.
          if (ends.length > 0 || !isBlank(bytes, from, at)) endItem(at);
          if (ends.length > limits.items) return 'too many';
          inList = false;
          listTo = at;
        }
        break;
      case COMMA:
        if (!inList) break;
        if (depth !== 2) {
          itemCommas += 1;
          break;
        }
        endItem(at);
        if (ends.length > limits.items) return 'too many';
        break;
      case COLON:
        if (depth === 1) outlineNames += 1;
        else if (inList && depth === 3) itemNames += 1;
        break;
    }
  }
  if (depth !== 0) return 'broken';

  const listed = listFrom !== -1;
  const startOf = (ordinal: number) => (ordinal === 0 ? listFrom : ends[ordinal - 1]! + 1);
  return {
    outline: () => (listed ? text(0, listFrom) + text(listTo, bytes.length) : text(0, bytes.length)),
    outlineLength: bytes.length - (listed ? listTo - listFrom : 0),
    outlineNames,
    ends,
    names,
    commas,
    list: { from: listFrom, to: listTo },
    item: (ordinal) => text(startOf(ordinal), ends[ordinal]!),
    from: startOf,
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The closing quote of the text that begins with this one, or the end of the bytes. */
function endOfText(bytes: Uint8Array, quote: number): number {
  for (let at = quote + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

/** Compares parsed texts, since a letter may be written as an escape. */
function isListName(text: string): boolean {
  try {
    return JSON.parse(text) === LIST;
  } catch {
    // Not JSON, so the parse of the outline fails as well.
    return false;
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}
