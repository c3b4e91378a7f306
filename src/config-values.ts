/** Values of the configuration. Each function reads the text of a variable. @throws Error that says what it must be. */
import ipaddr from 'ipaddr.js';
import { Duration } from 'luxon';
import { originOf } from './adapters/shared/urls.js';
import { isApiKey } from './domain/teams/api-key.js';

/** Tokens and secrets must not travel in the open: http is for a provider on this machine only. */
export function issuerOf(text: string): string {
  if (text === '') return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text;
  throw new Error('must be an https URL');
}

export function scopeOf(text: string): string {
  if (!text.split(' ').includes('openid')) throw new Error('must have openid in it');
  return text;
}

export function integer(text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
  return value;
}

export function cidrs(text: string): string[] {
  const all = listOf(text);
  const wrong = all.find((each) => !isCidr(each));
  if (wrong !== undefined) throw new Error(`must be CIDRs, such as 10.0.0.0/8; ${wrong} is not a CIDR`);
  return all;
}

/** All four numbers of IPv4: by the rules of C, 10/8 would be 0.0.0.0/8, and 010.0.0.0/8 would be 8.0.0.0/8. */
function isCidr(text: string): boolean {
  if (!ipaddr.IPv6.isValidCIDR(text)) return ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
  // Addresses are compared in their IPv4 form, so a range of mapped ones would contain none.
  return !ipaddr.IPv6.parseCIDR(text)[0].isIPv4MappedAddress();
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export function secretKeyOf(text: string): string | null {
  if (text !== '' && text.length < 32) throw new Error('must have at least 32 characters');
  return text === '' ? null : text;
}

export function publicUrlOf(text: string): string | null {
  return text === '' ? null : originOf(text);
}

/** RFC 9116: an e-mail address or a telephone number is a URI, too. */
export function contactOf(text: string): string | null {
  if (text === '') return null;
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (!['https:', 'mailto:', 'tel:'].includes(protocol) || /[^\x21-\x7e]/.test(text))
    throw new Error('must be a URI, such as mailto:security@example.org or https://example.org/security');
  return text;
}

export function origins(text: string): string[] {
  return listOf(text).map((each) => originOf(each));
}

export function bootstrapKey(text: string): string | null {
  if (text !== '' && !isApiKey(text)) {
    throw new Error('is not an API key; `npm run testledger -- keys generate` makes one');
  }
  return text === '' ? null : text;
}

const LONGEST_MS = 100 * 365.25 * 86_400_000;

export function duration(text: string, or = ''): number {
  const parsed = Duration.fromISO(text);
  const ms = parsed.isValid ? parsed.toMillis() : 0;
  if (!(ms > 0)) throw new Error(`must be an ISO 8601 duration, such as PT24H${or}`);
  // Instants have four digits for the year: an instant after the year 9999 would sort before all others.
  if (ms > LONGEST_MS) throw new Error('must not be longer than a hundred years');
  return ms;
}

export function onOff(text: string): boolean {
  return oneOf(text, ['on', 'off']) === 'on';
}

export function oneOf(text: string, allowed: readonly string[]): string {
  if (!allowed.includes(text)) throw new Error(`must be one of ${allowed.join(', ')}`);
  return text;
}
