/** Chooses the bases of deltas, in the thread that writes the log. */
import { LRUCache } from 'lru-cache';
import {
  BASE_CHARACTERS_KEPT,
  deltaOf,
  mayBeBase,
  partsOf,
  type Base,
  type Parts,
  type Texts,
} from './deltas.js';

export type DeltaWriter = {
  /**
   * What to store for an event. `kind`: only events of one kind have a base in common. `streamId`: `streamIdIn`
   * of the event's stream.
   */
  store(kind: string, streamId: string, position: number, event: Texts): Texts;
  /** After a rollback: an event whose base was not stored could never be read. */
  forget(): void;
};

/** `repeated`: see `Delta`. When it comes to twice the size of the base, the next event is stored whole, as a new base. */
type Kind = { base: Base; size: number; previous: Parts; repeated: number };

let erasures = 0;

/** No event that is appended from here on has a base of before: those are about to lose texts. In the thread that writes. */
export function forgetBases(): void {
  erasures += 1;
}

export function deltaWriter(): DeltaWriter {
  let seen = erasures;
  const kinds = new LRUCache<string, Kind>({
    maxSize: BASE_CHARACTERS_KEPT,
    sizeCalculation: ({ size }) => size,
  });

  return {
    store(kind, streamId, position, event) {
      if (seen !== erasures) kinds.clear();
      seen = erasures;
      const { meta, data } = event;
      const parts = partsOf(event, streamId);
      if (parts === null) return event;
      // Events with other fields, or with an error message beside those without one, have bases of their own.
      const key = `${kind} ${parts.data.length} ${parts.meta.length}`;
      const known = kinds.get(key);
      const delta = known === undefined ? null : deltaOf(parts, known.base, known.previous);
      // A larger event never becomes a base, so what it repeats asks for none.
      const couldBeBase = mayBeBase(event);
      if (
        known !== undefined &&
        delta !== null &&
        (!couldBeBase || known.repeated + delta.repeated <= 2 * known.size)
      ) {
        if (couldBeBase) {
          known.repeated += delta.repeated;
          known.previous = parts;
        }
        const isShorter = delta.meta.length + delta.data.length < meta.length + data.length;
        return isShorter ? delta : event;
      }
      if (couldBeBase) {
        const base = { ...parts, position };
        kinds.set(key, { base, size: meta.length + data.length, previous: parts, repeated: 0 });
      }
      return event;
    },
    forget: () => kinds.clear(),
  };
}
