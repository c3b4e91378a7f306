/** Cuts a list into pieces, in order. A piece has at most `count` entries and about `bytes` bytes, and at least one entry. */
export function* chunk<T>(
  all: readonly T[],
  { count, bytes }: { count: number; bytes: number },
  sizeOf: (each: T) => number,
): Generator<T[], void> {
  let piece: T[] = [];
  let size = 0;
  for (const each of all) {
    const more = sizeOf(each);
    if (piece.length > 0 && (piece.length >= count || size + more > bytes)) {
      yield piece;
      piece = [];
      size = 0;
    }
    piece.push(each);
    size += more;
  }
  if (piece.length > 0) yield piece;
}
