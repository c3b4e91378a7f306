/** API keys: `tl_`, 30 random base62 characters and their CRC-32 in 6 base62 digits (docs/api.md, section 1). */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^tl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export function newApiKey(): string {
  const random = Array.from({ length: 30 }, () => alphabet[randomInt(62)]).join('');
  return `tl_${random}${checksum(random)}`;
}

/** Whether the text has the form of a key. A mistyped key is refused without a look at any store. */
export function isApiKey(text: string): boolean {
  const match = form.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

/** SHA-256 in hex: the only form in which a key is stored. A key has over 128 random bits, so a fast hash is enough. */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The part of a key that may be shown, so that people can recognise the key. */
export function prefixOfKey(key: string): string {
  return key.slice(0, 8);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let n = 0; n < 6; n += 1) {
    digits = alphabet[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
