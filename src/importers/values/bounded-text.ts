/** A text of which the beginning and the end are kept, so that output of any length needs little memory. */
export type BoundedText = {
  add: (piece: string) => void;
  /** The text, with a mark in its middle where something is left out. */
  text: () => string;
  /** The length of all that was added. */
  length: () => number;
  isCut: () => boolean;
};

/** Keeps `most` UTF-16 units: half of them from the beginning, half from the end. */
export function boundedText(most: number): BoundedText {
  const half = Math.floor(most / 2);
  let head = '';
  let tail = '';
  let length = 0;
  return {
    add(piece) {
      length += piece.length;
      const room = half - head.length;
      if (room > 0) head += piece.slice(0, room);
      if (piece.length <= room) return;
      tail += piece.slice(Math.max(0, room));
      // Not at each piece: a text of many short pieces would be copied for each of them.
      if (tail.length > 4 * half) tail = tail.slice(-half);
    },
    text: () =>
      head.length + tail.length === length && length <= most
        ? head + tail
        : joined(head, tail.slice(-half), length),
    length: () => length,
    isCut: () => length > most,
  };
}

/** The text if it has at most `most` UTF-16 units, else its beginning and end with a mark between them. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return joined(text.slice(0, half), text.slice(text.length - half), text.length);
}

/** The first UTF-16 units of a text, without half of a surrogate pair at the cut. */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, isHigh(text.charCodeAt(most - 1)) ? most - 1 : most);
}

function joined(head: string, tail: string, length: number): string {
  // A half of a surrogate pair at the cut would make the text unfit for UTF-8.
  const start = isHigh(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head;
  const end = isLow(tail.charCodeAt(0)) ? tail.slice(1) : tail;
  return `${start}\n[… ${length - start.length - end.length} characters left out …]\n${end}`;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
