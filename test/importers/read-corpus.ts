import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ImportedEntry, ImportOptions, ReportAttachment } from '../../src/importers/entry.js';
import { ImportError } from '../../src/importers/import-error.js';
import { findReports, reportsIn } from '../../src/importers/import-files.js';
import { importReport } from '../../src/importers/import-report.js';

export const corpus = new URL('../../../test/importers/corpus/', import.meta.url);

/** The bytes in small chunks, so that every element is divided somewhere. */
export async function* inChunks(bytes: Uint8Array, size = 37): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function entriesOf(
  bytes: Uint8Array | string,
  options: ImportOptions = {},
  path = 'report',
): Promise<ImportedEntry[]> {
  const entries: ImportedEntry[] = [];
  const source = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for await (const group of importReport({ path, bytes: inChunks(source), ...options }))
    entries.push(...group);
  return entries;
}

/** Of a report in a file of the corpus, or in a folder of it where the files of a report lie beside each other. */
export async function entriesOfFile(file: string, options: ImportOptions = {}): Promise<ImportedEntry[]> {
  const place = new URL(file, corpus);
  if ((await stat(place)).isDirectory()) return entriesOfFolder(fileURLToPath(place), options);
  return entriesOf(await readFile(new URL(file, corpus)), options, file);
}

export async function entriesOfFolder(folder: string, options: ImportOptions = {}): Promise<ImportedEntry[]> {
  const entries: ImportedEntry[] = [];
  for (const report of reportsIn((await findReports([folder])).files))
    for await (const group of report.entries(options)) entries.push(...group);
  return entries;
}

/** What came of a file, a line for each result with the first line of why; for a broken one, the error. */
export async function verdictsOf(file: string): Promise<string[]> {
  try {
    return (await entriesOfFile(file)).flatMap((entry) => {
      if (entry.type === 'warning') return [`warning ${entry.code} ${entry.count}`];
      if (entry.type !== 'result') return [];
      const { name, status, attempt, error_message, metadata } = entry.item;
      const number = attempt === undefined ? '' : ` #${attempt}`;
      const why = error_message ?? (metadata as { reason?: string } | undefined)?.reason;
      return [`${status} ${name}${number}${why === undefined ? '' : ` | ${why.split('\n')[0]!.trim()}`}`];
    });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return [`error ${error.code}`];
  }
}

/** What came of a file, a line for each entry; for a broken one, the error. */
export async function outcomeOf(file: string, options: ImportOptions = {}): Promise<string[]> {
  try {
    return (await entriesOfFile(file, options)).flatMap(linesOf);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const at = error.place === null ? '' : ` at ${error.place.line}:${error.place.column}`;
    return [`error ${error.code}${at}`];
  }
}

function linesOf(entry: ImportedEntry): string[] {
  switch (entry.type) {
    case 'result': {
      const { name, status, attempt, duration_ms, started_at, error_message } = entry.item;
      const number = attempt === undefined ? '' : ` #${attempt}`;
      const duration = duration_ms === undefined ? '' : ` ${duration_ms}ms`;
      const start = started_at === undefined ? '' : ` at ${started_at}`;
      const message = error_message === undefined ? '' : ` | ${error_message}`;
      return [`${status} ${name}${number}${duration}${start}${message}`, ...entry.attachments.map(fileLine)];
    }
    case 'attachments':
      return [`of ${entry.suite ?? 'the report'}`, ...entry.attachments.map(fileLine)];
    case 'warning':
      return [`warning ${entry.code} ${entry.count}`];
    case 'summary':
      return [];
  }
}

function fileLine(file: ReportAttachment): string {
  switch (file.source) {
    case 'path':
      return `  + ${file.name}: ${file.path}`;
    case 'url':
      return `  + ${file.name}: ${file.url}`;
    case 'body':
      return `  + ${file.name}: ${JSON.stringify(Buffer.from(file.body).toString().slice(0, 20))}`;
  }
}
