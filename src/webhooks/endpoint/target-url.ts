/** The URLs that a webhook may have. Where a name leads is judged at each connection (`egress.ts`); the rest is judged here. */
import { isIP } from 'node:net';
import { fail, invalid, type FieldCode } from '../../errors.js';
import { isAllowed } from './egress.js';
import { limits } from '../../limits.js';

/** As the parser reads it: a backslash counts as a slash, and any number of slashes is valid. */
const HAS_USER = /^https?:[/\\]*[^/\\?#]*@/i;

/**
 * @throws AppError `validation_failed` if messages cannot be sent to the URL, `target_refused` if it leads to an
 * address that is not allowed. Both name the field.
 */
export function checkTarget(text: string, allow: readonly string[], pointer = '/url'): void {
  const wrong = (code: FieldCode, detail: string) => invalid(pointer, code, detail);
  // The parser removes these: the webhook would show another URL than the one to which messages go.
  if (/[\s\p{Cc}]/u.test(text)) wrong('not_a_url', 'must not hold blanks or control characters');
  const url = URL.canParse(text) ? new URL(text) : wrong('not_a_url', 'must be a whole URL');
  if (!/^https?:$/.test(url.protocol)) wrong('not_a_url', 'must begin with https:// or http://');
  if (text.length > limits.webhookUrlLength || url.href.length > limits.webhookUrlLength) {
    wrong(
      'too_long',
      `must have at most ${limits.webhookUrlLength} characters, also once it is percent-encoded`,
    );
  }
  if (url.port === '0') wrong('not_a_url', 'must not have the port 0: nothing listens there');
  // Every admin sees the password. The parser removes an empty one.
  if (HAS_USER.test(text)) wrong('has_password', 'must hold no user and no password');
  if (url.hash !== '' || text.endsWith('#')) wrong('has_fragment', 'must have no fragment: it is never sent');
  if (!mayBe(url.hostname, allow)) {
    const detail = 'must lead to a public address, or to one that WEBHOOK_ALLOW opens';
    fail('target_refused', `${pointer}: ${detail}`, {
      fields: [{ pointer, code: 'target_refused', detail }],
    });
  }
}

/** The host as the URL parser gives it: an IPv4 address is four numbers, however it was spelled; IPv6 is in brackets. */
function mayBe(hostname: string, allow: readonly string[]): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isAllowed(host, allow);
  if (host !== 'localhost' && !host.endsWith('.localhost')) return true;
  return ['127.0.0.1', '::1'].some((each) => isAllowed(each, allow));
}
