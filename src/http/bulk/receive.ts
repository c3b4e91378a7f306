/** A bulk submission's way in: what its headers say is refused at once, the rest waits unread for its turn. */
import type { Context } from 'koa';
import type { Submission } from '../../commands/submission.js';
import type { Instant } from '../../domain/event.js';
import { demandPace, type Pace } from '../arrival-deadlines.js';
import { announcesBody } from '../body.js';
import { readBytes } from './bytes.js';
import type { BulkGate } from './gate.js';

/** Takes the bytes out of the hands of this thread. @throws LedgerError what is wrong with them. */
export type ReadSubmission = (bytes: Uint8Array<ArrayBuffer>, now: Instant) => Promise<OpenSubmission>;

export type OpenSubmission = Submission & {
  /** Lets go of what was not taken. */
  close(): void;
};

export type ReceivedBulk = { hash: string; read(now: Instant): Promise<Submission> };

/** Whose it is; `mayPass` throws where it need not wait at all. */
export type Submitter = { team: string; mayPass: () => void };

/** Calls `work` with the body, which is there until it ends. */
export type ReceiveBulk = <T>(
  ctx: Context,
  submitter: Submitter,
  work: (received: ReceivedBulk) => Promise<T>,
) => Promise<T>;

/** Once it is let in: two bodies that trickle would keep everybody else out. */
const PACE: Pace = { graceMs: 5_000, bytesPerSecond: 64 * 1024 };

export function bulkReceiver(gate: BulkGate, read: ReadSubmission, limit: number, pace = PACE): ReceiveBulk {
  return async (ctx, { team, mayPass }, work) => {
    await announcesBody(ctx, limit);
    mayPass();
    const leave = await gate.enter(ctx.res, team);
    let open: OpenSubmission | null = null;
    try {
      demandPace(ctx.req, pace);
      const { bytes, hash } = await readBytes(ctx.req, limit);
      return await work({ hash, read: async (now) => (open = await read(bytes, now)) });
    } finally {
      (open as OpenSubmission | null)?.close();
      leave();
    }
  };
}
