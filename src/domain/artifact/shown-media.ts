/** The media types that a browser shows and that cannot run a script. A page shows these only; others are downloads. */

export type ShownAs = 'image' | 'video' | 'audio' | 'text';

/** `essence`: the type and subtype in lower case. Null for a type that is not shown. */
export function shownAs(essence: string): ShownAs | null {
  return shown.get(essence) ?? null;
}

/** HTML, SVG and XML. */
export function canRunScripts(essence: string): boolean {
  return /(?:html|xml)$/.test(essence);
}

const shown = new Map<string, ShownAs>([
  ...named('image', ['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp']),
  ...named('video', ['mp4', 'webm', 'ogg', 'quicktime']),
  ...named('audio', ['mpeg', 'mp4', 'aac', 'ogg', 'webm', 'flac', 'wav', 'x-wav', 'wave']),
  ['text/plain', 'text'],
  ['application/json', 'text'],
]);

function named(kind: ShownAs, subtypes: readonly string[]): [string, ShownAs][] {
  return subtypes.map((subtype) => [`${kind}/${subtype}`, kind]);
}
