/** The way to a page through the sign-in, which leads back to it. */
export function signInFor({ pathname, search }: URL): string {
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`;
}
