/**
 * Receives bulk submissions: the headers are checked at once. A large body waits unread for a slot, and another thread
 * parses it. A smaller one needs no slot: the memory of all such bodies is bounded. The smallest are parsed here.
 */
import type { Context } from 'koa';
import type { Admission } from '../../admission/admission.js';
import type { Submission } from '../../commands/submissions/submission.js';
import type { Instant } from '../../domain/event.js';
import type { KeyEntry } from '../../keys/api-keys.js';
import { freeBuffers } from '../../memory/free-buffers.js';
import { demandBodyPace, demandPace, type Pace } from '../backpressure/arrival-deadlines.js';
import { announcesBody, foldedBytes, mostBytes } from '../bodies/body.js';
import { holderOf } from '../backpressure/until-gone.js';
import { letBodyCome } from '../protocol/expect-continue.js';
import { readBytes } from './bytes.js';

/** Reads a submission of a team, and takes the bytes over. @throws AppError for the first fault. */
export type ReadSubmission = (
  bytes: Uint8Array<ArrayBuffer>,
  now: Instant,
  team: string,
) => Promise<OpenSubmission>;

export type OpenSubmission = Submission & {
  /** Frees the items that were not used. */
  close(): void;
};

/** `size`: the bytes of the body after decompression. */
export type ReceivedBulk = { size: number; hash: string; read(now: Instant): Promise<Submission> };

/** `mayPass` throws where the submitter is not allowed to submit, so that it does not wait. */
export type Submitter = { key: KeyEntry; mayPass: () => void };

/** Calls `work` with the body, which exists until `work` ends. */
export type ReceiveBulk = <T>(
  ctx: Context,
  submitter: Submitter,
  work: (received: ReceivedBulk) => Promise<T>,
) => Promise<T>;

/** Required of a body that has a slot: slow bodies would keep all others out. */
const PACE: Pace = { graceMs: 2_000, bytesPerSecond: 64 * 1024 };

/** A body of this size holds up the other requests of the thread no longer than that of any other route. */
const HERE_BYTES = 64 * 1024;

export type BulkReceiver = {
  admission: Admission;
  /** In another thread. */
  read: ReadSubmission;
  /** In this thread, for bodies of up to `HERE_BYTES`. */
  readHere: ReadSubmission;
  /** The most bytes of a body. */
  limit: number;
  /** Bodies of up to this size take no slot. */
  smallBytes: number;
  pace?: Pace;
};

export function bulkReceiver(options: BulkReceiver): ReceiveBulk {
  const { admission, read, readHere, limit, smallBytes, pace = PACE } = options;
  return async (ctx, { key, mayPass }, work) => {
    const announced = await announcesBody(ctx, limit);
    mayPass();
    const most = announced ? mostBytes(ctx.req, limit) : 0;
    // It may unfold to any size: it takes a slot as soon as it is larger than a small body.
    const isFolded = most > smallBytes && foldedBytes(ctx.req) <= smallBytes;
    const holder = holderOf(key, ctx.res);
    const memory = admission.reserve('bodies', holder);
    let leave: (() => void) | null = null;
    let open: OpenSubmission | null = null;
    let body: ArrayBuffer | null = null;
    try {
      const enter = async () => {
        leave ??= await admission.admit('submissions', holder);
        demandPace(ctx.req, pace);
      };
      if (isFolded) await memory.take(foldedBytes(ctx.req) + smallBytes);
      else if (most <= smallBytes) await memory.take(most);
      else await enter();
      if (leave === null) demandBodyPace(ctx.req, isFolded ? foldedBytes(ctx.req) : most);
      letBodyCome(ctx.res);
      const { bytes, hash } = await readBytes(
        ctx.req,
        limit,
        isFolded ? { bytes: smallBytes, beyond: enter } : null,
      );
      body = bytes.buffer;
      const reads = bytes.byteLength <= HERE_BYTES ? readHere : read;
      return await work({
        size: bytes.byteLength,
        hash,
        read: async (now) => (open = await reads(bytes, now, key.team_id)),
      });
    } finally {
      (open as OpenSubmission | null)?.close();
      (leave as (() => void) | null)?.();
      memory.release();
      if (body !== null) freeBuffers([body]);
    }
  };
}
