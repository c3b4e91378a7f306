/** What a form shows again after it was refused. */
import { errors, isAppError, type ErrorCode } from '../errors.js';

export type FormFault = {
  status: number;
  /** For the whole form; null where the fields say it all. */
  message: string | null;
  /** By the name of the field. */
  fields: Readonly<Record<string, string>>;
  retryAfter: number | undefined;
};

/** The fault of a form: what the person typed is wrong, or one of these refusals. @throws every other error */
export function formFault(error: unknown, expected: readonly ErrorCode[] = []): FormFault {
  if (!isAppError(error)) throw error;
  const { code, message, retryAfter } = error;
  if (code !== 'validation_failed' && !expected.includes(code)) throw error;
  const named = error.fields.filter(({ pointer }) => /^\/\w+$/.test(pointer));
  return {
    status: errors[code].status,
    message: named.length > 0 ? null : message,
    fields: Object.fromEntries(named.map(({ pointer, detail }) => [pointer.slice(1), sentence(detail)])),
    retryAfter,
  };
}

/** Details of fields begin with a verb: `must be an instant`. */
function sentence(detail: string): string {
  const text = detail.startsWith('must ') ? `It ${detail}` : detail;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
