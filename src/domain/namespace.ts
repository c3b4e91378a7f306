/** Ids that follow from other ids (UUIDv5): one id is the namespace, and a name makes the other one. */
import { LRUCache } from 'lru-cache';
import { toUUIDBytes, type TypeId } from 'typeid-js';

/** The ids that follow one another are mostly of one project. */
const known = new LRUCache<string, Uint8Array>({ max: 16 });

/** The UUID in an id, of any version, as the bytes of a namespace. Read only. */
export function namespaceOf(id: string): Uint8Array {
  let bytes = known.get(id);
  if (bytes === undefined) known.set(id, (bytes = toUUIDBytes(id as unknown as TypeId<string>)));
  return bytes;
}
