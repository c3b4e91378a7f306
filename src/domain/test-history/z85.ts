/** Numbers and ids in the 85 characters of Z85 (https://rfc.zeromq.org/spec/32/), which JSON does not escape. */
const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 26;

/** The last digit of a number's whole part. */
export function digit(value: number): string {
  return digits[Math.floor(value) % 85]!;
}

const values = new Uint8Array(128);
for (let n = 0; n < digits.length; n += 1) values[digits.charCodeAt(n)] = n;

/** The value of the digit at a place of a text. */
export function digitAt(text: string, at: number): number {
  return values[text.charCodeAt(at)]!;
}

/** 32 bits, and a little more, in five digits. */
export function word(value: number): string {
  return (
    digit(value / 52_200_625) +
    digit(value / 614_125) +
    digit(value / 7_225) +
    digit(value / 85) +
    digit(value)
  );
}

/** The number that the digits of a part of a text are. */
export function number(text: string, from: number, to: number): number {
  let value = 0;
  for (let n = from; n < to; n += 1) value = value * 85 + digitAt(text, n);
  return value;
}

/** The 128 bits of an id's 26 characters, in 20 digits. The library for ids refuses some of them, and takes twice as long. */
export function uuidIn(id: string): string {
  let text = '';
  let [value, bits] = [0, 128 - SUFFIX_LENGTH * 5];
  for (let at = id.length - SUFFIX_LENGTH; at < id.length; at += 1) {
    value = value * 32 + base32.indexOf(id[at]!);
    bits += 5;
    if (bits < 32) continue;
    bits -= 32;
    const rest = value % 2 ** bits;
    text += word((value - rest) / 2 ** bits);
    value = rest;
  }
  return text;
}

/** The 26 characters of the id with this UUID. */
export function suffixOf(uuid: string): string {
  let text = '';
  let [value, bits] = [0, SUFFIX_LENGTH * 5 - 128];
  for (let at = 0; at < uuid.length; at += 5) {
    value = value * 2 ** 32 + number(uuid, at, at + 5);
    for (bits += 32; bits >= 5;) {
      bits -= 5;
      const rest = value % 2 ** bits;
      text += base32[(value - rest) / 2 ** bits]!;
      value = rest;
    }
  }
  return text;
}
