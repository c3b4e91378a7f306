/** A small number for each of many digests, outside of the heap: a Map of a million texts would need 100 MB. */
export type DigestTable = {
  /** 0 where there is none. */
  get: (digest: string) => number;
  /** The number is not 0, and is between -32,768 and 32,767. */
  set: (digest: string, number: number) => void;
};

/** A digest is a text of single bytes, of which the first 8 tell it from others. Up to 30 bytes a digest are needed. */
export function digestTable(): DigestTable {
  let slots = 1_024;
  let used = 0;
  let keys = new Uint32Array(2 * slots);
  let numbers = new Int16Array(slots);

  /** The slot of the key, or the free one that it would have. */
  function slotOf(low: number, high: number): number {
    let slot = low & (slots - 1);
    while (numbers[slot] !== 0 && (keys[2 * slot] !== low || keys[2 * slot + 1] !== high))
      slot = (slot + 1) & (slots - 1);
    return slot;
  }

  function put(low: number, high: number, number: number): void {
    const slot = slotOf(low, high);
    if (numbers[slot] === 0) used += 1;
    keys[2 * slot] = low;
    keys[2 * slot + 1] = high;
    numbers[slot] = number;
  }

  function grow(): void {
    const [oldKeys, oldNumbers] = [keys, numbers];
    slots *= 2;
    used = 0;
    keys = new Uint32Array(2 * slots);
    numbers = new Int16Array(slots);
    for (let slot = 0; slot < oldNumbers.length; slot += 1)
      if (oldNumbers[slot] !== 0) put(oldKeys[2 * slot]!, oldKeys[2 * slot + 1]!, oldNumbers[slot]!);
  }

  return {
    get: (digest) => numbers[slotOf(wordAt(digest, 0), wordAt(digest, 4))]!,
    set(digest, number) {
      put(wordAt(digest, 0), wordAt(digest, 4), number);
      if (3 * used > 2 * slots) grow();
    },
  };
}

function wordAt(digest: string, at: number): number {
  const [a, b] = [digest.charCodeAt(at), digest.charCodeAt(at + 1)];
  return (a | (b << 8) | (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24)) >>> 0;
}
