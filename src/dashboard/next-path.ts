/** Where a sign-in leads: only to a path of this server. Otherwise a link to our sign-in could lead to any site. */

/**
 * The path that `next` names, or `/`. A browser takes `//host`, `/\host` and a path with a tab in it for another host, so
 * the text is parsed as a browser does it, and the outcome is checked once more.
 */
export function nextPath(next: string | null): string {
  const base = 'http://page.invalid';
  if (next === null || !next.startsWith('/') || !URL.canParse(next, base)) return '/';
  const { origin, pathname, search, hash } = new URL(next, base);
  const path = pathname + search + hash;
  return origin === base && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';
}

/** The token of the invitation to which a sign-in leads; null where it leads to another page. */
export function invitationOf(path: string): string | null {
  return /^\/invitations\/([\w-]{1,100})$/.exec(path)?.[1] ?? null;
}
