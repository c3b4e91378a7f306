/** `/.well-known/security.txt` (RFC 9116): to whom a finder of a weakness in this installation writes. */
import type { Clock } from '../clock.js';
import type { PageRoute } from './app.js';

const PATH = '/.well-known/security.txt';
/** The standard asks for less than a year. The text is made anew for each request, so a copy of it is never old. */
const VALID_MS = 90 * 86_400_000;

/** No route without a contact: the standard knows no file without one. */
export function securityTxt(
  { securityContact, publicUrl }: { securityContact: string | null; publicUrl: string | null },
  clock: Clock,
): PageRoute[] {
  if (securityContact === null) return [];
  const canonical = publicUrl === null ? [] : [`Canonical: ${publicUrl}${PATH}`];
  return [
    {
      method: 'GET',
      path: PATH,
      handle(ctx) {
        const expires = new Date(clock().getTime() + VALID_MS).toISOString();
        ctx.type = 'text/plain; charset=utf-8';
        ctx.body = [`Contact: ${securityContact}`, `Expires: ${expires}`, ...canonical, ''].join('\n');
        return Promise.resolve();
      },
    },
  ];
}
