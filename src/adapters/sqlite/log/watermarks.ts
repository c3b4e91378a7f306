/**
 * Watermarks: up to which row the streams and the teams of a log were written. A cache of the log trusts what it has read
 * while the watermark of its name is the same: a look costs nothing, where a transaction on the log and a search in its
 * index take 10 µs.
 *
 * While an append is under way, its watermarks are NaN, which equals nothing. Others may see its events from the commit on,
 * and so before it is answered: the cache may not say then that they are not there.
 *
 * All names share `SLOTS` watermarks, so one may move without a new event of its name: then the log is read without need.
 */
import { parseStreamName, type StreamName } from '../../../domain/event.js';

/** The row of the newest append of any name in the group since the log was opened; 0: none. NaN: unknown. */
export type Watermark = number;

export type Watermarks = {
  /** Takes the name of a stream or of a team. */
  of(name: string): Watermark;
  /** An append to this stream may be written from now on. */
  begin(stream: StreamName): void;
  /** One has ended at a row, or at 0 without an event. `null`: it may or may not be written. */
  end(stream: StreamName, row: number | null): void;
};

const SLOTS = 2_048;

/** `newestRow`: of the log. */
export function openWatermarks(newestRow: () => number): Watermarks {
  /** What holds when nothing is under way. */
  const settled = new Float64Array(SLOTS);
  const underWay = new Uint32Array(SLOTS);
  let newest = newestRow();

  /** After an append was lost, a row up to the newest one may be that of its repeat. Where the log cannot say, any row. */
  function mayBeWritten(): void {
    try {
      newest = Math.max(newest, newestRow());
    } catch {
      newest = Infinity;
      settled.fill(NaN);
    }
  }

  return {
    of(name) {
      const slot = slotOf(name);
      return underWay[slot] === 0 ? settled[slot]! : NaN;
    },
    begin(stream) {
      for (const slot of slotsOf(stream)) underWay[slot]! += 1;
    },
    end(stream, row) {
      if (row === null) mayBeWritten();
      const isNew = row !== null && row > newest;
      for (const slot of slotsOf(stream)) {
        // A repeat is answered with its first row, which would lower the watermark, or hide an append that was lost.
        if (row === null) settled[slot] = NaN;
        else if (isNew || row > settled[slot]!) settled[slot] = row;
        underWay[slot]! -= 1;
      }
      if (isNew) newest = row;
    },
  };
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
