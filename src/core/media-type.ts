/** Media types as HTTP writes them (RFC 9110, section 8.3.1). */
import { parse } from 'content-type';

/** `type/subtype` with parameters if any, and nothing that could end a header. */
export function isMediaType(text: string): boolean {
  try {
    return /^[\x20-\x7e]+$/.test(text) && parse(text).type !== '';
  } catch {
    return false;
  }
}
