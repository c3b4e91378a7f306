/** Media types as HTTP writes them (RFC 9110, section 8.3.1), with names that can be registered (RFC 6838). */

const NAME = '[0-9A-Za-z][0-9A-Za-z!#$&^_.+-]{0,126}';
const TOKEN = "[0-9A-Za-z!#$%&'*+.^_`|~-]+";
// Without tabs and characters beyond ASCII: a stored media type is written into headers and URLs.
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const form = new RegExp(`^${NAME}/${NAME}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

/** True for `type/subtype` with optional parameters, and without characters that could end a header. */
export function isMediaType(text: string): boolean {
  return form.test(text);
}

/** `type/subtype` without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.replace(/ *;.*$/s, '').toLowerCase();
}
