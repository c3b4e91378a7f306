/** The form of ids: TypeID, a prefix and 26 characters of base32 (https://github.com/jetify-com/typeid). */

export type IdPrefix =
  'team' | 'user' | 'key' | 'project' | 'run' | 'result' | 'artifact' | 'webhook' | 'delivery';

/** The first character holds two bits only: a UUID has 128. */
const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Whether a text is an id of this kind. One that is not names nothing: a 404, like an unknown one. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && suffix.test(text.slice(prefix.length + 1));
}
