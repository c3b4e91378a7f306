/** Looks for a text in every byte of a data folder. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { openDatabase } from '../../src/adapters/sqlite/database.js';

/** The files that hold a text, in whatever part of them, or deflated in a row. */
export async function filesIn(dataDir: string, text: string): Promise<string[]> {
  // By another program: to close a file here would let go of SQLite's locks on it.
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'grep -rlaF -e "$1" "$2" || true',
    'sh',
    text,
    dataDir,
  ]);
  const found = stdout.split('\n').filter((path) => path !== '');
  for (const name of (await readdir(dataDir)).filter((name) => /^(?!lock).*\.sqlite$/.test(name)))
    if (valuesOf(join(dataDir, name)).includes(text)) found.push(`${name}, in a row`);
  return found;
}

/** The values of all tables, those that are deflated as their texts. */
function valuesOf(file: string): Buffer {
  const database = openDatabase(file, { readonly: true, synchronous: 'FULL', busyTimeoutMs: 1_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").raw().all([]) as [
      string,
    ][];
    const values = tables.flatMap(([name]) => {
      try {
        const rows = database.prepare(`SELECT * FROM "${name}"`).raw().all([]) as unknown[][];
        return rows.flat();
      } catch (error) {
        // A rebuild has dropped it since the list was read.
        if (/no such table/.test(String(error))) return [];
        throw error;
      }
    });
    return Buffer.concat(values.map(asBytes));
  } finally {
    database.close();
  }
}

function asBytes(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) return Buffer.from(`${String(value)}\n`);
  try {
    return inflateRawSync(value);
  } catch {
    return Buffer.from(value);
  }
}
