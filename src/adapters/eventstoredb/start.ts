/** Where the log stands when it is opened. */
import { START } from '../../domain/event.js';
import type { Names } from './names.js';
import type { ReadPage } from './page.js';
import { NOTHING, type EsdbReader, type Known } from './read.js';

/** Events that are walked over, back from the end, before it is asked whether there is anything of ours at all. */
const NEAR = 5_000;

/**
 * Finds the newest event of ours. In a new namespace on a server that is full of others there is none: the server
 * sifts its log 20 times faster than we walk back over it.
 */
export async function startOf(reader: EsdbReader, readPage: ReadPage, names: Names): Promise<Known> {
  const near = await reader.newestAmong(NEAR);
  if (near !== null) return near;
  const end = await reader.end();
  const filter = names.filter(undefined);
  for (let after = START; after < end;) {
    const page = await readPage({ after, newest: end, limit: 1, filter });
    if (page.events.length > 0) return reader.newest(NOTHING);
    after = page.position;
  }
  return { position: START, covered: end };
}
