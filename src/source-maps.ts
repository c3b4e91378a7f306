/**
 * Stacks of errors that name the TypeScript of this program instead of its compiled files. `node --enable-source-maps` reads
 * the map of every module when it loads, in each thread: 25 MiB and a tenth of a second of each start. Here a map is read
 * when an error is shown.
 */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { quoted } from './domain/text/quoted.js';

const COMPILED = new URL('../', import.meta.url).href;
// From this folder on, a place has no colon in its path. Without both, a long text of a store would take seconds.
const PLACE = new RegExp(`(${quoted(COMPILED)}[^\\s:]+\\.js):(\\d+):(\\d+)`, 'g');

/** Some 4 MB. */
const MOST_MAPS = 100;
/** By the URL of the compiled file, because a store that is down fails often. Null: the file has no map. */
const maps = new Map<string, SourceMap | null>();

/** Replaces each place in a compiled file of this program by its place in the source. Without maps, as in the package, nothing changes. */
export function mappedStack(stack: string): string {
  return stack.replace(PLACE, (place, url: string, line: string, column: string) => {
    const origin = mapOf(url)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${new URL(origin.fileName, url).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** The mapped stack of an error; any other value as text. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? mappedStack(error.stack ?? '') : String(error);
}

/** From now on, Node prints the mapped stack of an error that ends this process. The stacks of its causes stay as they are. */
export function mapUncaughtErrors(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    try {
      if (error instanceof Error && typeof error.stack === 'string') error.stack = mappedStack(error.stack);
    } catch {
      // A stack that cannot be changed. Another error from here would hide the one that ends the process.
    }
  });
}

function mapOf(url: string): SourceMap | null {
  const known = maps.get(url);
  if (known !== undefined) return known;
  if (maps.size === MOST_MAPS) maps.clear();
  const map = readMap(url);
  maps.set(url, map);
  return map;
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // The stack of the error that is being shown is worth more than the reason why it has no map.
    return null;
  }
}
