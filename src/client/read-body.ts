/** Reads the body of an answer. */

/** That of a `Response` is one. */
export type Body = AsyncIterable<Uint8Array> | null;

/**
 * Reads with a bound: a server that never ends its answer must not fill the memory. `onTooLarge` throws the error of
 * the caller.
 */
export async function readBody(
  { body }: { body: Body },
  mostBytes: number,
  onTooLarge: () => never,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostBytes) onTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
