export type ImportErrorCode =
  | 'no_files'
  | 'cannot_read'
  | 'empty_file'
  | 'unknown_format'
  | 'unsupported_format'
  | 'unknown_encoding'
  | 'malformed'
  | 'incomplete'
  | 'too_large'
  | 'too_deep'
  | 'unknown_fields';

/** Where a report is broken: `near` is the text around the place, escaped and at most 160 characters long. */
export type Place = { line: number; column: number; near: string };

/** A report that cannot be imported. `code` is stable; the message names the file, the importer and the place. */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  constructor(
    readonly code: ImportErrorCode,
    readonly detail: string,
    readonly file: string,
    readonly importer: string | null = null,
    readonly place: Place | null = null,
    options?: ErrorOptions,
  ) {
    super(messageOf(detail, file, importer, place), options);
  }
}

function messageOf(detail: string, file: string, importer: string | null, place: Place | null): string {
  const at = place === null ? file : `${file}:${place.line}:${place.column}`;
  const near = place === null || place.near === '' ? '' : ` Near: ${place.near}`;
  return `${at}: ${importer === null ? '' : `${importer}: `}${detail}${near}`;
}

/** The text around a place, with what a terminal would not show written as escapes. */
export function excerpt(before: string, after: string): string {
  const text = before.slice(-40).toWellFormed() + after.slice(0, 40).toWellFormed();
  return JSON.stringify(text)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => escaped(character))
    .slice(0, 160);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
