/** Ways to the sign-in that lead back afterwards. */
import { hostOf } from './same-origin.js';

/** The way to a page through the sign-in. */
export function signInFor({ pathname, search }: URL): string {
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`;
}

/**
 * The way through the sign-in for a person whose session ended before they sent a form: back to the page that has the form,
 * because the path that takes it often has no page. `referer` is that page, as the browser says.
 */
export function signInAfterForm(referer: string, origin: string): string {
  const isOwn = hostOf(referer) !== '' && hostOf(referer) === hostOf(origin);
  return `${signInFor(new URL(isOwn ? referer : '/', origin))}&unsent=1`;
}
