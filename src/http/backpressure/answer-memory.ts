/** The memory of one answer: reserved before the answer is made, and counted until its reader has taken it. */
import type { Context } from 'koa';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';
import type { Admission, Holder } from '../../admission/admission.js';
import { untilGone } from './until-gone.js';

export type AnswerMemory = {
  /** Waits until an answer with this number of records may be made. @throws AppError `overloaded`. */
  makeRoom(records: number): Promise<void>;
  /**
   * Counts the body that is set, as it will be sent. The answer to a write is always sent, because the write is done.
   * @throws AppError `overloaded` when the answer to a GET does not fit.
   */
  count(): void;
};

/** A record is little more than its metadata. */
const RECORD_BYTES = limits.metadataBytes;

/** Smaller texts stay as they are: nearly always, the operating system takes them at once. */
const SMALL_BYTES = 16 * 1_024;

export function answerMemory(admission: Admission, holder: Holder, ctx: Context): AnswerMemory {
  const { res } = ctx;
  const memory = admission.reserve('answers', holder);
  untilGone(res, memory.release);
  return {
    makeRoom: (records) => memory.take(records * RECORD_BYTES),
    count() {
      const { body } = ctx;
      if (typeof body === 'string' && body.length <= SMALL_BYTES) return memory.hold(body.length);
      // Node would keep a text beside its bytes; bytes alone are also outside the heap.
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      if (!Buffer.isBuffer(bytes)) return memory.hold(0);
      if (ctx.method === 'GET' && !memory.fits(bytes.length)) tooMuchUnread();
      memory.hold(bytes.length);
      ctx.body = bytes;
    },
  };
}

function tooMuchUnread(): never {
  fail('overloaded', 'Too many answers to this key are not read yet. Read them first.', { retryAfter: 2 });
}
