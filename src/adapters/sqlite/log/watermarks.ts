/**
 * Watermarks: up to which row the streams and the teams of a log were written. A cache of the log trusts what it has read
 * while the watermark of its name is the same. The writing process keeps them in memory, and in a file for the other
 * processes of its server: a look there is one system call, where a transaction on the log and a search in its index take
 * 10 µs.
 *
 * While an append is under way, its watermarks are NaN, which equals nothing. Others may see its events from the commit on,
 * and so before it is answered: no cache may then say that they are not there.
 *
 * All names share `SLOTS` watermarks, so one may move without a new event of its name: then the log is read without need.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseStreamName, type StreamName } from '../../../domain/event.js';
import { modesIn } from '../../shared/file-modes.js';

/** The row of the newest append of any name in the group since the server started; 0: none. NaN: unknown. */
export type Watermark = number;

/** `of` takes the name of a stream or of a team. @throws the error of the disk */
export type WatermarkReader = { of(name: string): Watermark; close(): void };

export type Watermarks = WatermarkReader & {
  /** Appends to these streams may be written from now on. @throws the error of the disk: then none of them may be */
  begin(streams: readonly StreamName[]): void;
  /**
   * One of them has ended at a row, or at 0 without an event. `null`: it may or may not be written. Other processes hear of
   * it at the next `begin` or `publish`. Until then they trust nothing.
   */
  end(stream: StreamName, row: number | null): void;
  publish(): void;
};

const SLOTS = 2_048;
const BYTES = SLOTS * Float64Array.BYTES_PER_ELEMENT;

/**
 * For the writing process. `folder`: where other processes look; null without them. It begins a new file there: what an
 * earlier server left tells nothing of this one. `newestRow`: of the log. @throws the error of the disk
 */
export function openWatermarks(folder: string | null, newestRow: () => number): Watermarks {
  const shown = new Float64Array(SLOTS);
  /** What is shown when nothing is under way. */
  const settled = new Float64Array(SLOTS);
  const underWay = new Uint32Array(SLOTS);
  let newest = newestRow();
  let file = folder === null ? null : newFile(folder, shown);

  function show(slot: number, appends: 1 | -1): void {
    underWay[slot]! += appends;
    shown[slot] = underWay[slot] === 0 ? settled[slot]! : NaN;
  }

  function change(streams: readonly StreamName[], appends: 1 | -1): void {
    for (const stream of streams) for (const slot of slotsOf(stream)) show(slot, appends);
  }

  /** After an append was lost, a row up to the newest one may be that of its repeat. Where the log cannot say, any row. */
  function mayBeWritten(): void {
    try {
      newest = Math.max(newest, newestRow());
    } catch {
      newest = Infinity;
      settled.fill(NaN);
      shown.fill(NaN);
    }
  }

  return {
    of: (name) => shown[slotOf(name)]!,
    begin(streams) {
      change(streams, 1);
      try {
        if (file !== null) write(file, shown);
      } catch (error) {
        change(streams, -1);
        throw error;
      }
    },
    end(stream, row) {
      if (row === null) mayBeWritten();
      const isNew = row !== null && row > newest;
      for (const slot of slotsOf(stream)) {
        // A repeat is answered with its first row, which would lower the watermark, or hide an append that was lost.
        if (row === null) settled[slot] = NaN;
        else if (isNew || row > settled[slot]!) settled[slot] = row;
        show(slot, -1);
      }
      if (isNew) newest = row;
    },
    publish() {
      try {
        if (file !== null) write(file, shown);
      } catch {
        // Other processes go on to see that these appends are under way, and trust nothing, until the next write succeeds.
      }
    },
    close() {
      if (file === null || folder === null) return;
      closeSync(file);
      // Another file may get the same descriptor.
      file = null;
      rmSync(watermarkFile(folder), { force: true });
    },
  };
}

/** For another process. @throws Error where no writer has begun the file. */
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

function newFile(folder: string, rows: Float64Array): number {
  const path = watermarkFile(folder);
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', modesIn(dirname(path)).file);
  try {
    write(file, rows);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

function write(file: number, rows: Float64Array): void {
  if (writeSync(file, rows, 0, BYTES, 0) !== BYTES) throw new Error('the watermarks of the log were cut off');
}

function watermarkFile(folder: string): string {
  return join(folder, 'events.watermarks');
}

/** Of the stream and of its team. */
function slotsOf(stream: StreamName): [number, number] {
  return [slotOf(stream), slotOf(parseStreamName(stream).team)];
}

/** FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
function slotOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < name.length; n += 1) hash = Math.imul(hash ^ name.charCodeAt(n), 0x01000193);
  return (hash >>> 0) % SLOTS;
}
