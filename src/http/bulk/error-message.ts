/**
 * The error message of a submitted item may be longer than that of a result: one long traceback must not cost a whole
 * run. The result has its first characters in `error_message`, and the whole in `metadata.error.message`.
 */
import { cutInMiddle } from '../../domain/cut-in-middle.js';
import { firstCharacters } from '../../domain/first-characters.js';
import { limits } from '../../limits.js';

type Metadata = Record<string, unknown>;

export type Described = { error_message: string | null; metadata: Metadata | null };

/**
 * Splits a message that is longer than `error_message` may be; leaves all others as they are. The metadata that were
 * sent stay, so the whole is kept only where it has a place: not where `error` is no object, or has a `message`
 * already. It does not count against the limit of metadata: it has a limit of its own.
 */
export function splitErrorMessage({ error_message, metadata }: Described): Described {
  if (error_message === null) return { error_message, metadata };
  const first = firstCharacters(error_message, limits.errorMessageLength);
  if (first.length === error_message.length) return { error_message, metadata };
  return { error_message: first, metadata: withMessage(metadata, error_message) };
}

function withMessage(metadata: Metadata | null, whole: string): Metadata | null {
  const error = metadata?.['error'] ?? {};
  if (typeof error !== 'object' || Array.isArray(error)) return metadata;
  const { message = null } = error as Metadata;
  if (message !== null) return metadata;
  return { ...metadata, error: { ...error, message: cutInMiddle(whole, limits.longErrorMessageBytes) } };
}
