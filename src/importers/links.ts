import { limits } from '../limits.js';
import { beginningOf } from './values/bounded-text.js';

export type FoundLink = { name: string | null; url: string | null };

/** Links for metadata, in a form that is understood. An address that no page may lead to is left out. */
export function linksFrom(found: readonly FoundLink[]): { links?: { name: string; url: string }[] } {
  const links = new Map<string, { name: string; url: string }>();
  for (const { name, url } of found) {
    if (links.size === limits.links) break;
    if (url === null || url.length > limits.linkLength || !isWebUrl(url) || links.has(url)) continue;
    links.set(url, { name: beginningOf(name?.trim() || url, limits.nameLength), url });
  }
  return links.size === 0 ? {} : { links: [...links.values()] };
}

function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
