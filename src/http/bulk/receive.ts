/** Receives bulk submissions: the headers are checked at once, and the body waits unread for a slot. */
import type { Context } from 'koa';
import type { Submission } from '../../commands/submission.js';
import type { Instant } from '../../domain/event.js';
import { demandPace, type Pace } from '../arrival-deadlines.js';
import { announcesBody } from '../body.js';
import { readBytes } from './bytes.js';
import type { BulkGate } from './gate.js';

/** Reads a submission in another thread, which takes the bytes over. @throws LedgerError for the first fault. */
export type ReadSubmission = (bytes: Uint8Array<ArrayBuffer>, now: Instant) => Promise<OpenSubmission>;

export type OpenSubmission = Submission & {
  /** Frees the items that were not used. */
  close(): void;
};

export type ReceivedBulk = { hash: string; read(now: Instant): Promise<Submission> };

/** `mayPass` throws where the submitter is not allowed to submit, so that it does not wait. */
export type Submitter = { team: string; mayPass: () => void };

/** Calls `work` with the body, which exists until `work` ends. */
export type ReceiveBulk = <T>(
  ctx: Context,
  submitter: Submitter,
  work: (received: ReceivedBulk) => Promise<T>,
) => Promise<T>;

/** Required once a request has its slot: otherwise two slow bodies would keep all others out. */
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
