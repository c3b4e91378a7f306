/**
 * The tags of a test as one text, in which a search for a part finds one tag: each tag stands between two line breaks, and as JSON
 * writes it, so that no tag has a line break in it.
 */

export function packedTags(tags: readonly string[]): string {
  return `\n${tags.map(escaped).join('\n')}\n`;
}

/** Null: none. */
export function unpackedTags(packed: string | null): string[] {
  return packed === null
    ? []
    : (JSON.parse(`["${packed.slice(1, -1).replaceAll('\n', '","')}"]`) as string[]);
}

/** The part that packed tags have if they have this tag, and only then. */
export function partOfTag(tag: string): string {
  return packedTags([tag]);
}

export function hasTag(packed: string | null, tag: string): boolean {
  return packed !== null && packed.includes(partOfTag(tag));
}

function escaped(tag: string): string {
  return JSON.stringify(tag).slice(1, -1);
}
