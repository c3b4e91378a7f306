/** Which URLs a webhook may have. What a name leads to shows only at each connection; what shows here is refused here. */
import { isIP } from 'node:net';
import { fail, invalid, type FieldCode } from '../../errors.js';
import { isAllowed } from './egress.js';
import { limits } from '../../limits.js';

/** As the parser reads it: a backslash is a slash, and there may be any number of them. */
const HAS_USER = /^https?:[/\\]*[^/\\?#]*@/i;

/**
 * @throws LedgerError `validation_failed` for what is no URL to send to, `target_refused` for one that leads to where
 * webhooks may not be sent: both name `/url`.
 */
export function checkTarget(text: string, allow: readonly string[]): void {
  const wrong = (code: FieldCode, detail: string) => invalid('/url', code, detail);
  // The parser takes these out or off: what is shown would not be what is sent to.
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
  // It stands in the log for ever, and every admin is shown it. The parser takes an empty one off.
  if (HAS_USER.test(text)) wrong('has_password', 'must hold no user and no password');
  if (url.hash !== '' || text.endsWith('#')) wrong('has_fragment', 'must have no fragment: it is never sent');
  if (!mayBe(url.hostname, allow)) {
    const detail = 'must lead to a public address, or to one that WEBHOOK_ALLOW opens';
    fail('target_refused', `/url: ${detail}`, {
      fields: [{ pointer: '/url', code: 'target_refused', detail }],
    });
  }
}

/** The host as the URL parser has it: any spelling of an IPv4 address is four numbers by now, and IPv6 is in brackets. */
function mayBe(hostname: string, allow: readonly string[]): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isAllowed(host, allow);
  if (host !== 'localhost' && !host.endsWith('.localhost')) return true;
  return ['127.0.0.1', '::1'].some((each) => isAllowed(each, allow));
}
