/** How each artifact of a result is shown: inline only what cannot run a script (docs/artifacts.md). */
import type { components } from '../../../client/api.generated.js';
import { canRunScripts, shownAs } from '../../../domain/artifact/shown-media.js';
import { essenceOf, isMediaType } from '../../../validation/media-type.js';

export type ArtifactRecord = components['schemas']['ArtifactRecord'];

/** A comparison of pictures: what was expected, what came, and where they differ. */
export type Triple = {
  name: string;
  expected: ArtifactRecord;
  actual: ArtifactRecord;
  diff: ArtifactRecord | null;
};

export type SortedArtifacts = {
  triples: Triple[];
  images: ArtifactRecord[];
  videos: ArtifactRecord[];
  sounds: ArtifactRecord[];
  logs: ArtifactRecord[];
  traces: ArtifactRecord[];
  /** HTML, SVG and XML: a browser would run their scripts. */
  untrusted: ArtifactRecord[];
  others: ArtifactRecord[];
};

export function sortedArtifacts(artifacts: readonly ArtifactRecord[]): SortedArtifacts {
  const of = (kind: Kind) => artifacts.filter((artifact) => kindOf(artifact) === kind);
  const { triples, rest } = triplesIn(of('image'));
  return {
    triples,
    images: rest,
    videos: of('video'),
    sounds: of('audio'),
    logs: of('text'),
    traces: of('trace'),
    untrusted: of('untrusted'),
    others: of('other'),
  };
}

type Kind = 'image' | 'video' | 'audio' | 'text' | 'trace' | 'untrusted' | 'other';

/** The content type decides alone, since a browser goes by it; the name only tells a trace from another archive. */
function kindOf({ content_type, label }: ArtifactRecord): Kind {
  const essence = isMediaType(content_type) ? essenceOf(content_type) : '';
  const shown = shownAs(essence);
  if (shown !== null) return shown;
  if (/^application\/(?:x-)?zip(?:-compressed)?$/.test(essence) && /\btrace\b/i.test(label)) return 'trace';
  return canRunScripts(essence) ? 'untrusted' : 'other';
}

/** Playwright names them `cart-expected.png`, `cart-actual.png` and `cart-diff.png`; others do so in a similar way. */
function triplesIn(images: readonly ArtifactRecord[]): { triples: Triple[]; rest: ArtifactRecord[] } {
  const byName = new Map<string, Partial<Record<string, ArtifactRecord>>>();
  for (const image of images) {
    const part = partOf(image.label);
    if (part === null) continue;
    const parts = byName.get(part.name) ?? {};
    parts[part.role] ??= image;
    byName.set(part.name, parts);
  }
  const triples = [...byName].flatMap(([name, { expected, actual, diff = null }]) =>
    expected === undefined || actual === undefined ? [] : [{ name, expected, actual, diff }],
  );
  const used = new Set(triples.flatMap(({ expected, actual, diff }) => [expected, actual, diff]));
  return { triples, rest: images.filter((image) => !used.has(image)) };
}

function partOf(label: string): { name: string; role: string } | null {
  const [, before = '', role, after = ''] =
    /^(.{0,200}?)[-_. ]?\b(expected|actual|diff)\b((?:\.\w{1,5})?)$/i.exec(label.replaceAll('_', '-')) ?? [];
  return role === undefined ? null : { name: `${before}${after}`, role: role.toLowerCase() };
}
