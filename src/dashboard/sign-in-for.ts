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
  return `${signInFor(formOf(referer, origin))}&unsent=1`;
}

/** The way to the page on which a person shows again that it is them, and back to the page with the form. */
export function confirmFor(referer: string, origin: string): string {
  const { pathname, search } = formOf(referer, origin);
  return `/confirm?next=${encodeURIComponent(pathname + search)}`;
}

function formOf(referer: string, origin: string): URL {
  const isOwn = hostOf(referer) !== '' && hostOf(referer) === hostOf(origin);
  return new URL(isOwn ? referer : '/', origin);
}
