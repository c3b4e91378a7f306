/** Lines that are written once and read later: the first ones in memory, many of them in a temporary file. */
import { Buffer } from 'node:buffer';
import { closeSync, openSync, read as readCallback, unlinkSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The temporary file cannot be made or written. The message says so to a person. */
export class SpoolFault extends Error {}

export type Spool = {
  /** Adds a line; the text has no line feed. @throws SpoolFault where the disk is full */
  add(line: string): void;
  /** The bytes of all lines so far: the place at which the next one begins. */
  size(): number;
  /** Forgets what was added after this place. */
  cut(size: number): void;
  read(from: number, to: number): Promise<Buffer>;
  /** The lines between two places, in groups of a bounded size. */
  lines(from: number, to: number): AsyncGenerator<string[]>;
  close(): void;
};

/** Most imports are smaller, and need no disk. */
const IN_MEMORY = 8 * 1024 * 1024;
const BLOCK = 1024 * 1024;
/** Of lines that are read together. */
const GROUP = 128 * 1024;
const LINE_FEED = 0x0a;

const readBytes = promisify(readCallback);

/** `open` returns the descriptor of an empty file that can be written and read. */
export function openSpool({ inMemory = IN_MEMORY, open = openNameless } = {}): Spool {
  let blocks: Buffer[] = [];
  let block = Buffer.allocUnsafe(BLOCK);
  let filled = 0;
  /** Bytes before the block that is being filled. */
  let stored = 0;
  let file: number | null = null;

  function storeBlock(): void {
    if (filled === 0) return;
    const full = block.subarray(0, filled);
    if (file === null && stored + filled > inMemory) {
      file = kept(open);
      let at = 0;
      for (const earlier of blocks) {
        writeWhole(file, earlier, at);
        at += earlier.length;
      }
      blocks = [];
    }
    if (file === null) {
      blocks.push(full);
      block = Buffer.allocUnsafe(BLOCK);
    } else {
      writeWhole(file, full, stored);
    }
    stored += filled;
    filled = 0;
  }

  async function read(from: number, to: number): Promise<Buffer> {
    storeBlock();
    const bytes = Buffer.allocUnsafe(to - from);
    await fill(bytes, from);
    return bytes;
  }

  async function fill(bytes: Buffer, from: number): Promise<void> {
    if (file === null) {
      if (blocks.length > 1) blocks = [Buffer.concat(blocks)];
      blocks[0]?.copy(bytes, 0, from);
      return;
    }
    for (let at = 0; at < bytes.length;) {
      const { bytesRead } = await readBytes(file, bytes, at, bytes.length - at, from + at);
      if (bytesRead === 0) throw new Error('A temporary file is shorter than what was written to it.');
      at += bytesRead;
    }
  }

  return {
    add(line) {
      const most = 3 * line.length + 1;
      if (filled + most > block.length) {
        storeBlock();
        if (most > block.length) block = Buffer.allocUnsafe(most);
      }
      filled += block.write(line, filled);
      block[filled] = LINE_FEED;
      filled += 1;
    },
    size: () => stored + filled,
    cut(size) {
      storeBlock();
      if (file === null) blocks = [Buffer.concat(blocks).subarray(0, size)];
      stored = size;
    },
    read,
    lines(from, to) {
      storeBlock();
      return linesBetween(fill, from, to);
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
      blocks = [];
    },
  };
}

async function* linesBetween(
  fill: (bytes: Buffer, from: number) => Promise<void>,
  from: number,
  to: number,
): AsyncGenerator<string[]> {
  // One for all groups: V8 lets 64 MiB of buffers that nothing uses stay.
  let bytes = Buffer.allocUnsafe(GROUP);
  let begun = 0;
  for (let at = from; at < to;) {
    if (begun === bytes.length) bytes = Buffer.concat([bytes], 2 * begun);
    const size = Math.min(bytes.length - begun, to - at);
    await fill(bytes.subarray(begun, begun + size), at);
    at += size;
    const filled = begun + size;
    const end = bytes.lastIndexOf(LINE_FEED, filled - 1) + 1;
    const lines = linesOf(bytes.subarray(0, end));
    bytes.copyWithin(0, end, filled);
    begun = filled - end;
    if (end > 0) yield lines;
  }
}

/** Every line ends with a line feed. */
export function linesOf(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

/** The file loses its name at once, so that it is gone with this process, also after a kill. */
function openNameless(): number {
  const path = join(tmpdir(), `testledger-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function writeWhole(file: number, bytes: Buffer, position: number): void {
  kept(() => {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, position + at);
  });
}

function kept<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException;
    const advice = 'TMPDIR names another folder for it';
    throw new SpoolFault(`the results need a temporary file until they are sent: ${message}; ${advice}`, {
      cause: error,
    });
  }
}
