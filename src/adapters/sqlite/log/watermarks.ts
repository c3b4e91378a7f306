/**
 * Watermarks: up to which position the streams and the teams of a log were written. The writing process keeps them in a
 * file, and the other processes of its server look there whether what they have cached is still complete. That is one
 * system call, where a transaction on the log and a search in its index take 10 µs.
 *
 * All names share `SLOTS` watermarks, so one may move without a new event of its name: then a process reads the log once
 * without need.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseStreamName, type StreamName } from '../../../domain/event.js';
import { modesIn } from '../../shared/file-modes.js';

/**
 * The row of the newest append of any name in the group since the server started; 0: none. NaN: an append may or may not be
 * stored.
 */
export type Watermark = number;

export type WatermarkWriter = {
  /** An append has ended at this row. */
  appended(stream: StreamName, row: number): void;
  /** Nobody knows whether an append was written. */
  lost(stream: StreamName): void;
  /** Shows what has changed since the last call. Call it before any of these appends is answered. @throws the error of the disk */
  publish(): void;
  close(): void;
};

/** `of` takes the name of a stream or of a team. @throws the error of the disk */
export type WatermarkReader = { of(name: string): Watermark; close(): void };

const SLOTS = 1_024;
const BYTES = SLOTS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Begins a new file: what an earlier server left tells nothing of this one.
 * @throws the error of the disk
 */
export function writeWatermarks(folder: string): WatermarkWriter {
  const path = watermarkFile(folder);
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', modesIn(dirname(path)).file);
  const rows = new Float64Array(SLOTS);
  let newest = 0;
  let changed = true;
  function set(stream: StreamName, row: number): void {
    rows[slotOf(stream)] = row;
    rows[slotOf(parseStreamName(stream).team)] = row;
    changed = true;
  }
  function publish(): void {
    if (!changed) return;
    writeSync(file, rows, 0, BYTES, 0);
    changed = false;
  }
  try {
    publish();
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    appended(stream, row) {
      // A repeat is answered with its first row, which would lower the watermark, or hide a lost append.
      if (row <= newest) return;
      newest = row;
      set(stream, row);
    },
    lost: (stream) => set(stream, NaN),
    publish,
    close() {
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}

/** @throws Error where no writer has begun the file. */
export function readWatermarks(folder: string): WatermarkReader {
  const file = openSync(watermarkFile(folder), 'r');
  const rows = new Float64Array(SLOTS);
  let isRead = false;
  return {
    of(name) {
      if (!isRead) {
        if (readSync(file, rows, 0, BYTES, 0) !== BYTES) rows.fill(NaN);
        isRead = true;
        // Once all microtasks have run, and before Node reads from another socket: every request that asks until then had
        // come before this read.
        queueMicrotask(() => process.nextTick(() => (isRead = false)));
      }
      return rows[slotOf(name)]!;
    },
    close: () => closeSync(file),
  };
}

function watermarkFile(folder: string): string {
  return join(folder, 'events.watermarks');
}

/** FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
function slotOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < name.length; n += 1) hash = Math.imul(hash ^ name.charCodeAt(n), 0x01000193);
  return (hash >>> 0) % SLOTS;
}
