import type { ImportedEntry, ImportOptions } from './entry.js';
import { decode } from './decode.js';
import { ImportError, type ImportErrorCode } from './import-error.js';
import { jsonReport } from './json/report.js';
import { linesReport } from './lines/report.js';
import { ReportFault, type OpenReport } from './report.js';
import { xmlReport } from './xml/report.js';

/** Of a file that is no document at all. A report may be in it, behind what other programs printed. */
export const NO_DOCUMENT = 'The file is neither XML nor JSON.';

export type ReportInput = ImportOptions & {
  /** The path of the report as the user wrote it: for errors only. */
  path: string;
  bytes: AsyncIterable<Uint8Array>;
};

/**
 * The entries of one report, while it is read. Its first characters decide on the format. They come in groups, as they
 * are ready: an asynchronous step for each entry would take longer than its reading. It throws an `ImportError` where the
 * report is broken; the entries before that may be yielded already.
 */
export async function* importReport(input: ReportInput): AsyncGenerator<readonly ImportedEntry[]> {
  const { path, bytes, partial = false } = input;
  const size = { bytes: 0 };
  let report: OpenReport | null = null;
  try {
    for await (const text of decode(counted(bytes, size), path)) {
      report ??= openReport(text, path, input);
      report?.write(text);
      const ready = report?.sink()?.take() ?? [];
      if (ready.length > 0) yield ready;
    }
    if (report === null) throw new ImportError('empty_file', 'The file is empty.', path);
    report.end();
  } catch (error) {
    if (!(error instanceof ReportFault)) throw error;
    const format = report?.format() ?? null;
    const { code, detail, place } = error;
    const broken = new ImportError(code, detail, path, format, place, { cause: error });
    const sink = report?.sink() ?? null;
    if (!partial || sink === null || refuses(code)) throw broken;
    sink.warn('incomplete', broken.message, place?.line ?? null);
  }
  const sink = report?.sink() ?? null;
  if (sink === null)
    throw new ImportError('unknown_format', 'The file is no report of a known format.', path);
  report?.finish();
  sink.end(size.bytes);
  yield sink.take();
}

/** Reports that are whole, and still not imported. */
function refuses(code: ImportErrorCode): boolean {
  return code === 'unsupported_format' || code === 'unknown_fields' || code === 'unknown_format';
}

/** Null while only white characters came. */
function openReport(text: string, path: string, options: ImportOptions): OpenReport | null {
  const first = /[^\s\ufeff\0]/.exec(text)?.[0];
  switch (first) {
    case undefined:
      return null;
    case '<':
      return xmlReport(options);
    case '{':
    case '[':
      return linesReport(text, options) ?? jsonReport(options);
    default: {
      // Other programs may have printed into the file before.
      const report = linesReport(text, options);
      if (report === null) throw new ImportError('unknown_format', NO_DOCUMENT, path);
      return report;
    }
  }
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  size: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    size.bytes += chunk.length;
    yield chunk;
  }
}
