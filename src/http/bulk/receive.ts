/** A bulk submission's way in: what its headers say is refused at once, the rest waits unread for its turn. */
import type { Context } from 'koa';
import type { Submission } from '../../core/submission.js';
import type { Instant } from '../../domain/event.js';
import { announcesBody } from '../body.js';
import { readBytes } from './bytes.js';
import type { Gate } from './gate.js';

/** Takes the bytes out of the hands of this thread. @throws LedgerError what is wrong with them. */
export type ReadSubmission = (bytes: Uint8Array<ArrayBuffer>, now: Instant) => Promise<OpenSubmission>;

export type OpenSubmission = Submission & {
  /** Lets go of what was not taken. */
  close(): void;
};

export type Received = { hash: string; read(now: Instant): Promise<Submission> };

/** Calls `work` with the body, which is there until it ends. `mayPass` throws where it need not wait at all. */
export type ReceiveBulk = <T>(
  ctx: Context,
  mayPass: () => void,
  work: (received: Received) => Promise<T>,
) => Promise<T>;

export function bulkReceiver(gate: Gate, read: ReadSubmission, limit: number): ReceiveBulk {
  return async (ctx, mayPass, work) => {
    await announcesBody(ctx, limit);
    mayPass();
    const leave = await gate.enter(ctx.res);
    let open: OpenSubmission | null = null;
    try {
      const { bytes, hash } = await readBytes(ctx.req, limit);
      return await work({ hash, read: async (now) => (open = await read(bytes, now)) });
    } finally {
      (open as OpenSubmission | null)?.close();
      leave();
    }
  };
}
