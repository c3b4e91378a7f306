/**
 * Stacks of errors that name the TypeScript of this program instead of its compiled files. `node --enable-source-maps` reads
 * the map of every module when it loads, in each thread: 25 MiB and a tenth of a second of each start. Here a map is read
 * when an error is shown.
 */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const COMPILED = new URL('../', import.meta.url).href;
const FRAME = /(file:\/\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/** A map takes up to 1 MB. */
const MOST_MAPS = 20;
/** By the URL of the compiled file, because a store that is down fails often. Null: the file has no map. */
const maps = new Map<string, SourceMap | null>();

/** Replaces each place in a compiled file of this program by its place in the source. Without maps, as in the package, nothing changes. */
export function mappedStack(stack: string): string {
  return stack.replace(FRAME, (place, url: string, line: string, column: string) => {
    const map = url.startsWith(COMPILED) ? mapOf(url) : null;
    const origin = map?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${new URL(origin.fileName, url).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** From now on, Node prints the mapped stack of an error that ends this process. */
export function mapUncaughtErrors(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (error instanceof Error && error.stack !== undefined) error.stack = mappedStack(error.stack);
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
