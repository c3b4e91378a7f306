import { publication } from '../../projections/publication.js';
import type { ViewReader } from '../core/ports.js';
import type { Position } from '../domain/event.js';

/** Short enough that a stop is not held up. */
const LOOKS_AGAIN_MS = 1_000;

/**
 * Waits until the publication stands there. One that is being folded anew knows no webhook that was registered later:
 * what is asked of it would get no delivery, ever. False where the signal came first.
 */
export async function untilFolded(
  views: ViewReader,
  position: Position,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const wait = { atLeast: position, timeoutMs: LOOKS_AGAIN_MS };
    if ((await views.position(publication.name, wait)) >= position) return !signal.aborted;
  }
  return false;
}
