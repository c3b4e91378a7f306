/**
 * What the servers tell each other about points, as bytes. Others may publish to the same NATS: without a signature they
 * could give a key its points back, or guess passwords without end.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { TakenPoints } from '../concurrency/shared-points.js';

export type SignedPoints = {
  write(taken: TakenPoints): Buffer;
  /** Nothing for bytes that no server with the same key has sent, and for those that came before. */
  read(data: Uint8Array): TakenPoints;
};

/** Beside those that are up, those that were up. */
const MOST_SENDERS = 1_000;
const SIGNATURE_BYTES = 32;

export function signedPoints(key: Buffer): SignedPoints {
  const self = randomUUID();
  let sent = 0;
  /** The number of the last message of each sender: what was recorded and is sent again has an earlier one. */
  const heard = new LRUCache<string, number>({ max: MOST_SENDERS });
  const signatureOf = (content: Uint8Array) => createHmac('sha256', key).update(content).digest();

  return {
    write(taken) {
      const content = Buffer.from(JSON.stringify([self, (sent += 1), taken]));
      return Buffer.concat([signatureOf(content), content]);
    },
    read(data) {
      const content = data.subarray(SIGNATURE_BYTES);
      const signature = data.subarray(0, SIGNATURE_BYTES);
      if (signature.length < SIGNATURE_BYTES || !timingSafeEqual(signature, signatureOf(content))) return [];
      const [sender, nth, taken] = JSON.parse(Buffer.from(content).toString()) as [
        string,
        number,
        TakenPoints,
      ];
      if (nth <= (heard.get(sender) ?? 0)) return [];
      heard.set(sender, nth);
      return taken;
    },
  };
}
