/** The id of an event outside: the TypeID form of its UUID. */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** All texts of two digits, in order: ten bits at a time. */
const PAIRS = Array.from(ALPHABET).flatMap((one) => Array.from(ALPHABET).map((other) => one + other));

/**
 * `event_` and the 128 bits of a UUID as 26 digits of five bits, two zeros before them. As typeid-js has it, which takes
 * 3 us: as long as all else that is done for an event of a replay.
 */
export function eventId(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  let text = `event_${PAIRS[parseInt(hex.slice(0, 2), 16)]}`;
  for (let at = 2; at < 32; at += 5) {
    const bits = parseInt(hex.slice(at, at + 5), 16);
    text += PAIRS[bits >> 10]! + PAIRS[bits & 1_023]!;
  }
  return text;
}
