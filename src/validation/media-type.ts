/** Media types as HTTP writes them (RFC 9110, section 8.3.1), their names as they can be registered (RFC 6838). */

const NAME = '[0-9A-Za-z][0-9A-Za-z!#$&^_.+-]{0,126}';
const TOKEN = "[0-9A-Za-z!#$%&'*+.^_`|~-]+";
// No tab and nothing beyond ASCII: what is stored is written into headers and into URLs.
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const form = new RegExp(`^${NAME}/${NAME}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

/** `type/subtype` with parameters if any, and nothing that could end a header. */
export function isMediaType(text: string): boolean {
  return form.test(text);
}

/** `type/subtype` alone, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.replace(/ *;.*$/s, '').toLowerCase();
}
