import { expect } from 'chai';
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { hashOfKey, isApiKey, newApiKey, prefixOfKey } from '../../../src/domain/teams/api-key.js';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 of IEEE 802.3, bit by bit: polynomial 0x04C11DB7, reflected, all ones before and after. */
function crc32(text: string): bigint {
  let crc = 0xffffffffn;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ 0xedb88320n : crc >> 1n;
  }
  return crc ^ 0xffffffffn;
}

function base62(value: bigint): string {
  return value < 62n ? alphabet[Number(value)]! : base62(value / 62n) + alphabet[Number(value % 62n)]!;
}

const random = fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: 30, maxLength: 30 });

describe('an API key', () => {
  it('is checked by a CRC-32 that gives the known value', () =>
    expect(crc32('123456789').toString(16)).to.equal('cbf43926'));

  it('is tl_, 30 base62 characters and their CRC-32 in 6 base62 digits', () => {
    for (let n = 0; n < 200; n += 1) {
      const key = newApiKey();
      const match = /^tl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(key);
      expect(match, key).not.to.equal(null);
      expect(match![2], key).to.equal(base62(crc32(match![1]!)).padStart(6, '0'));
      expect(isApiKey(key), key).to.equal(true);
    }
  });

  it('is valid with this checksum and with no other', () => {
    fc.assert(
      fc.property(random, fc.nat(62 ** 6 - 1), (text, other) => {
        const right = base62(crc32(text)).padStart(6, '0');
        const wrong = base62(BigInt(other)).padStart(6, '0');
        expect(isApiKey(`tl_${text}${right}`)).to.equal(true);
        expect(isApiKey(`tl_${text}${wrong}`)).to.equal(wrong === right);
      }),
    );
  });

  it('has a checksum of six digits, however small the CRC is', () => {
    let n = 0;
    const candidate = () => String(n).padStart(30, 'k');
    while (crc32(candidate()) >= 62n ** 4n) n += 1;
    const text = candidate();
    const digits = base62(crc32(text));
    expect(digits.length).to.be.below(5);
    expect(isApiKey(`tl_${text}${digits.padStart(6, '0')}`)).to.equal(true);
    expect(isApiKey(`tl_${text}${digits}`)).to.equal(false);
  });

  it('is not valid with any one character changed', () => {
    const key = newApiKey();
    for (let at = 0; at < key.length; at += 1) {
      for (const character of `${alphabet}_-`) {
        if (character === key[at]) continue;
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(isApiKey(changed), changed).to.equal(false);
      }
    }
  });

  it('is not valid with two neighbouring characters swapped', () => {
    const key = newApiKey();
    for (let at = 3; at < key.length - 1; at += 1) {
      if (key[at] === key[at + 1]) continue;
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      expect(isApiKey(swapped), swapped).to.equal(false);
    }
  });

  it('is not valid with anything before or after it', () => {
    const key = newApiKey();
    for (const text of [
      '',
      'tl_',
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      key.slice(0, -1),
      `${key}0`,
      key.slice(3),
    ]) {
      expect(isApiKey(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('never repeats, and uses the whole alphabet', () => {
    const keys = Array.from({ length: 2_000 }, newApiKey);
    expect(new Set(keys).size).to.equal(keys.length);
    expect(new Set(keys.flatMap((key) => key.slice(3, 33).split(''))).size).to.equal(62);
  });

  it('is stored as its SHA-256 in hex, and shown by its first 8 characters', () => {
    const key = newApiKey();
    expect(hashOfKey(key)).to.equal(createHash('sha256').update(key, 'utf8').digest('hex'));
    expect(prefixOfKey(key)).to.equal(key.slice(0, 8)).and.to.have.length(8);
  });
});
