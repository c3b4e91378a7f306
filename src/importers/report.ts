import type { ReportFormat } from './entry.js';
import type { ImportErrorCode, Place } from './import-error.js';
import type { Sink } from './sink.js';

/** A report while it is read. It throws a `ReportFault` where it is broken. */
export type OpenReport = {
  write(text: string): void;
  /** Makes sure that the document is whole. */
  end(): void;
  /** Hands on what waited for the end, whether the document is whole or not. */
  finish(): void;
  /** Null until the format is known, which is sure after `end`. */
  sink(): Sink | null;
  format(): ReportFormat | null;
};

/** What is wrong with a report, and where. */
export class ReportFault extends Error {
  constructor(
    readonly code: ImportErrorCode,
    readonly detail: string,
    readonly place: Place | null,
  ) {
    super(detail);
  }
}

/** What a decoder makes of bytes that are no text. */
const REPLACEMENT = '\ufffd';

export function countReplacements(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
}
