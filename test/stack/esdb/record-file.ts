/**
 * An append-only file of records. Each is its length (32 bits) and its content. A record is complete or absent: the
 * next opening cuts off a last record that a killed process left incomplete.
 *
 * A record counts as stored when `write` has returned, without fsync: then the operating system has it, and a `kill -9`
 * of this process cannot lose it. A power cut could, but tests make none.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

export type RecordFile = {
  /** The place where the content of the next record will begin. */
  nextContentAt(): number;
  append(parts: readonly Uint8Array[]): void;
  read(at: number, size: number): Buffer;
  close(): void;
};

const LENGTH_BYTES = 4;
/** The number of bytes read at a time. A larger record gets its own window. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Opens or creates the file. `each` gets the content of every record in it, and where the content begins. */
export function openRecordFile(path: string, each: (content: Buffer, at: number) => void): RecordFile {
  const file = openSync(path, 'a+');
  let end = readRecords(file, each);
  ftruncateSync(file, end);
  return {
    nextContentAt: () => end + LENGTH_BYTES,
    append: (parts) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      const record = Buffer.concat([length, ...parts]);
      record.writeUInt32LE(record.length - LENGTH_BYTES);
      for (let written = 0; written < record.length;) written += writeSync(file, record, written);
      end += record.length;
    },
    read: (at, size) => {
      const bytes = Buffer.allocUnsafe(size);
      const got = readSync(file, bytes, 0, size, at);
      if (got !== size) throw new Error(`${path}: ${got} bytes at ${at} instead of ${size}`);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

/** Returns where the last complete record ends. */
function readRecords(file: number, each: (content: Buffer, at: number) => void): number {
  const { size } = fstatSync(file);
  let window = Buffer.allocUnsafe(Math.min(size, WINDOW_BYTES));
  let end = 0;
  while (end + LENGTH_BYTES <= size) {
    const start = end;
    const got = readSync(file, window, 0, window.length, start);
    while (end - start + LENGTH_BYTES <= got) {
      const contentAt = end - start + LENGTH_BYTES;
      const length = window.readUInt32LE(end - start);
      if (end + LENGTH_BYTES + length > size) return end;
      if (contentAt + length > got) {
        if (end === start) window = Buffer.allocUnsafe(contentAt + length);
        break;
      }
      each(window.subarray(contentAt, contentAt + length), end + LENGTH_BYTES);
      end += LENGTH_BYTES + length;
    }
  }
  return end;
}
