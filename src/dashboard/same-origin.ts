/** Protection against forms of other sites (CSRF): the browser says where a form comes from, and the form has a token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fail } from '../errors.js';

/** The name of the field with the token of the session. */
export const TOKEN_FIELD = 'csrf';

/**
 * Refuses a form that did not come from a page of this server. Browsers send at least one of the two headers with every
 * form. @throws AppError `forbidden`
 */
export function mustBeOwnForm(request: IncomingMessage, origin: string): void {
  const { origin: from, 'sec-fetch-site': site } = request.headers;
  const isOwn =
    site === undefined ? from !== undefined && hostOf(from) === hostOf(origin) : site === 'same-origin';
  if (!isOwn) fail('forbidden', 'The form did not come from a page of this server.');
}

/**
 * The token as one page has it: another text on each, because pages are compressed, and how well a page with a text of the
 * attacker shrinks would tell the token sign by sign (BREACH).
 */
export function maskedToken(token: string): string {
  const mask = randomBytes(Buffer.byteLength(token));
  return [mask, xor(Buffer.from(token), mask)].map((part) => part.toString('base64url')).join('.');
}

/** @throws AppError `forbidden` where the form does not have the token of the session. */
export function mustHaveToken(form: URLSearchParams, token: string): void {
  const [mask, masked] = (form.get(TOKEN_FIELD) ?? '')
    .split('.')
    .map((part) => Buffer.from(part, 'base64url'));
  const sent = mask !== undefined && masked?.length === mask.length ? xor(masked, mask) : Buffer.of();
  const expected = Buffer.from(token);
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    fail('forbidden', 'The form is from an earlier session. Go back, reload the page and send it again.');
  }
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, n) => byte ^ other[n]!));
}

/** The scheme is left out: a proxy that ends https passes requests on by http. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
