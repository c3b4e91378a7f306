import { limits } from '../limits.js';

/**
 * Tags for metadata, in a form that is understood: each once, and no more than the API takes. A longer one is left out: the
 * beginning of a tag is another tag.
 */
export function tagsFrom(found: readonly (string | null | undefined)[]): { tags?: string[] } {
  const tags = new Set<string>();
  for (const each of found) {
    const tag = each?.trim() ?? '';
    if (tags.size === limits.tags) break;
    if (tag !== '' && tag.length <= limits.tagLength) tags.add(tag);
  }
  return tags.size === 0 ? {} : { tags: [...tags] };
}
