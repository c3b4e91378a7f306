/** Reads the files of Allure's results. */
import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError } from '../import-error.js';
import { jsonReader } from '../json/reader.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import { ReportFault } from '../report.js';
import type { ImportOptions } from '../entry.js';
import type { Sink } from '../sink.js';

/** One result with its steps. Files that it attaches are beside it. */
const FILE_BYTES = 64 * 1_024 * 1_024;
/** Files that are looked at to know what a folder has. */
const TRIED = 10;

/** By what is in the files: other tools have files of such names too. */
export function isAllure(files: readonly string[], folder = ''): boolean {
  const results = files.filter((file) => file.endsWith('-result.json'));
  const holds = (file: string, isKnown: (found: JsonObject) => boolean): boolean => {
    try {
      return isKnown(parsed(join(folder, file)).object);
    } catch {
      return false;
    }
  };
  if (results.length > 0) return results.slice(0, TRIED).some((file) => holds(file, isResult));
  // Where the set-up of all failed, there is no result.
  return files.slice(0, TRIED).some((file) => holds(file, isOfRun));
}

function isOfRun(found: JsonObject): boolean {
  return Array.isArray(found.errors) || (textOf(found.uuid) !== null && Array.isArray(found.children));
}

function isResult(found: JsonObject): boolean {
  const isKnown = textOf(found.uuid) !== null || textOf(found.historyId) !== null;
  return isKnown && ['status', 'stage', 'labels', 'fullName', 'start'].some((name) => name in found);
}

export type Found = { object: JsonObject; bytes: number };

/** A file as far as it can be read. With `partial`, a broken one is left out with a warning. */
export function whole(file: string, { partial = false }: ImportOptions, sink: Sink): Found | null {
  try {
    const found = parsed(file);
    if (file.endsWith('-result.json') && !isResult(found.object))
      throw new ImportError('unknown_format', 'This is no result of Allure.', file, 'allure');
    return found;
  } catch (error) {
    if (!(error instanceof ImportError) || !partial) throw error;
    sink.warn('incomplete', error.message, error.place?.line ?? null);
    return null;
  }
}

/** @throws ImportError */
function parsed(file: string): Found {
  const { text, bytes } = textIn(file);
  try {
    return { object: objectOf(JSON.parse(text) as unknown), bytes };
  } catch (error) {
    throw placed(text, file, error);
  }
}

/** The error with the place, which the parser of the runtime does not tell. */
function placed(text: string, file: string, cause: unknown): ImportError {
  if (text.trim() === '') return new ImportError('empty_file', 'The file is empty.', file, 'allure');
  try {
    const reader = jsonReader(['$.none'], () => undefined);
    reader.write(text);
    reader.end();
  } catch (error) {
    if (!(error instanceof ReportFault)) throw error;
    return new ImportError(error.code, error.detail, file, 'allure', error.place, { cause: error });
  }
  return new ImportError('malformed', 'The JSON is malformed.', file, 'allure', null, { cause });
}

/** Most results fit: a buffer for each of them would be most of the garbage. */
const shared = Buffer.allocUnsafeSlow(64 * 1_024);

/** For a file that does not fit into the shared buffer. */
function roomFor(handle: number): Buffer {
  const stats = fstatSync(handle);
  if (!stats.isFile()) throw new Error('it is no file');
  if (stats.size > FILE_BYTES) throw new Error(`it has more than ${FILE_BYTES} bytes`);
  return Buffer.allocUnsafeSlow(Math.max(stats.size, shared.length));
}

/** A file at once: results are small, and a stream for each of them would take ten times as long. @throws ImportError */
function textIn(file: string): { text: string; bytes: number } {
  try {
    // Without this flag, a pipe without a writer waits already when it is opened. Windows has neither.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      let buffer: Buffer = shared;
      let bytes = readSync(handle, buffer, 0, buffer.length, null);
      // A device never ends.
      if (bytes === buffer.length) {
        buffer = roomFor(handle);
        shared.copy(buffer);
        for (let count = 1; count > 0 && bytes < buffer.length; bytes += count)
          count = readSync(handle, buffer, bytes, buffer.length - bytes, null);
      }
      const text = buffer.toString('utf8', 0, bytes);
      return { text: text.startsWith('\ufeff') ? text.slice(1) : text, bytes };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const detail = `The file cannot be read: ${(error as Error).message}.`;
    throw new ImportError('cannot_read', detail, file, null, null, { cause: error });
  }
}
