/**
 * How an event of a version before the current one becomes a current one (docs/decisions/015). Stored events never
 * change: an event is upcast each time it is read.
 */
import { fail } from '../errors.js';
import { parseStreamName, type RecordedEvent } from './event.js';
import { eventVersions, type PastEventData } from './events.js';
import { CHUNK_TYPE, CHUNK_VERSION, isChunk, itemColumns, itemsIn } from './runs/item-chunk.js';

type Step = (data: never) => unknown;

/**
 * For each version before the current one, under the name of its schema: takes its data, and returns those of the next
 * version. Pure. The compiler demands one for each schema.
 */
const upcasters: { readonly [Name in keyof PastEventData]: (data: PastEventData[Name]) => unknown } = {};

export type Upcasting = {
  /** True if the event has the current version of a known type. */
  isCurrent(event: RecordedEvent): boolean;
  /**
   * Returns the event in the current version of its type: the same object if it is current already.
   * @throws AppError `unknown_event` for a type or a version that only a newer program knows: to skip the event
   *   would fold the rest of the stream wrongly, and nothing would show it.
   */
  upcast(event: RecordedEvent): RecordedEvent;
};

/** Upcasts to the `versions` of types. For tests; the program has one, below. */
export function upcastingTo(
  versions: Readonly<Record<string, number>>,
  steps: Readonly<Record<string, Step>>,
): Upcasting {
  // By maps, which have no `constructor`: the type is any text of the log.
  const versionOf = new Map(Object.entries(versions));
  const stepFrom = new Map(Object.entries(steps));
  const isCurrent = ({ type, version }: RecordedEvent): boolean => versionOf.get(type) === version;
  return {
    isCurrent,
    upcast: (event) => {
      let current = event;
      while (!isCurrent(current)) {
        const { type, version, data } = current;
        const step = stepFrom.get(`${type}.v${version}`) ?? failUnknown(event);
        current = { ...current, version: version + 1, data: step(data as never) };
      }
      return current;
    },
  };
}

/** The upcasting of this program. */
export const presentEvents: Upcasting = upcastingTo(
  { ...eventVersions, [CHUNK_TYPE]: CHUNK_VERSION },
  upcasters,
);

/** The same, where a chunk is current only if its items are. They change in their columns, and keep their relations. */
export function upcastingItems(upcasting: Upcasting): Upcasting {
  const itemOf = (event: RecordedEvent, version: number, data: unknown): RecordedEvent => {
    return { ...event, type: 'ResultSubmitted', version, data };
  };
  const isCurrent = (event: RecordedEvent): boolean =>
    upcasting.isCurrent(event) &&
    (!isChunk(event) || upcasting.isCurrent(itemOf(event, event.data.item_version, null)));
  return {
    isCurrent,
    upcast(event) {
      const current = upcasting.upcast(event);
      if (!isChunk(current) || isCurrent(current)) return current;
      const { data: chunk, stream } = current;
      const items = itemsIn(chunk, parseStreamName(stream).id).map((data) =>
        upcasting.upcast(itemOf(current, chunk.item_version, data)),
      );
      const data = items.map((item) => item.data as Record<string, unknown>);
      const columns = Object.fromEntries(itemColumns.map((name) => [name, data.map((item) => item[name])]));
      return { ...current, data: { ...chunk, ...columns, item_version: items[0]!.version } };
    },
  };
}

export const { isCurrent, upcast } = upcastingItems(presentEvents);

function failUnknown({ type, version, position }: RecordedEvent): never {
  return fail(
    'unknown_event',
    `This version of testledger cannot read the event ${type}.v${version} at position ${position}. A newer version wrote it.`,
  );
}
