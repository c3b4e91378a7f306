/** Receives bulk submissions: the headers are checked at once, and a large body waits unread for a slot. */
import type { Context } from 'koa';
import type { Submission } from '../../commands/submission.js';
import type { Instant } from '../../domain/event.js';
import { demandPace, type Pace } from '../arrival-deadlines.js';
import { announcesBody, mostBytes } from '../body.js';
import type { MemoryBudget, Owner } from '../memory-budget.js';
import { letBodyCome } from '../protocol/expect-continue.js';
import { readBytes } from './bytes.js';
import type { BulkGate } from './gate.js';

/** Reads a submission in another thread, which takes the bytes over. @throws LedgerError for the first fault. */
export type ReadSubmission = (bytes: Uint8Array<ArrayBuffer>, now: Instant) => Promise<OpenSubmission>;

export type OpenSubmission = Submission & {
  /** Frees the items that were not used. */
  close(): void;
};

/** `size`: the bytes of the body after decompression. */
export type ReceivedBulk = { size: number; hash: string; read(now: Instant): Promise<Submission> };

/** `mayPass` throws where the submitter is not allowed to submit, so that it does not wait. */
export type Submitter = { owner: Owner; mayPass: () => void };

/** Calls `work` with the body, which exists until `work` ends. */
export type ReceiveBulk = <T>(
  ctx: Context,
  submitter: Submitter,
  work: (received: ReceivedBulk) => Promise<T>,
) => Promise<T>;

/** Required of a body that has a slot, or memory that others wait for: slow bodies would keep all others out. */
const PACE: Pace = { graceMs: 2_000, bytesPerSecond: 64 * 1024 };

export type BulkReceiver = {
  gate: BulkGate;
  read: ReadSubmission;
  /** The most bytes of a body. */
  limit: number;
  /** The memory of bodies of up to `smallBytes`. They are read before they take a slot, so that none waits for a client. */
  bodies: MemoryBudget;
  smallBytes: number;
  pace?: Pace;
};

export function bulkReceiver(options: BulkReceiver): ReceiveBulk {
  const { gate, read, limit, bodies, smallBytes, pace = PACE } = options;
  return async (ctx, { owner, mayPass }, work) => {
    const announced = await announcesBody(ctx, limit);
    mayPass();
    const most = announced ? mostBytes(ctx.req, limit) : 0;
    const memory = bodies(owner, ctx.res);
    let leave: (() => void) | null = null;
    let open: OpenSubmission | null = null;
    try {
      if (most <= smallBytes) await memory.reserve(most);
      else leave = await gate.enter(ctx.res, owner.team_id);
      demandPace(ctx.req, pace);
      letBodyCome(ctx.res);
      const { bytes, hash } = await readBytes(ctx.req, limit);
      leave ??= await gate.enter(ctx.res, owner.team_id);
      return await work({
        size: bytes.byteLength,
        hash,
        read: async (now) => (open = await read(bytes, now)),
      });
    } finally {
      (open as OpenSubmission | null)?.close();
      leave?.();
      memory.release();
    }
  };
}
