/**
 * The thread of bulk submissions: it parses, checks and packs them, so that they never hold up the thread that answers
 * requests. A body that fills its memory ends this thread, not the server.
 */
import { parentPort } from 'node:worker_threads';
import type { AppendLimits } from '../ports/event-log.js';
import { loadSchemas } from '../validation/schemas.js';
import type { BulkOrigin, ItemCounts, SubmittedRun } from '../commands/submission.js';
import type { Instant } from '../domain/event.js';
import { LedgerError, type ErrorCode, type FieldError } from '../errors.js';
import { readSubmission } from '../http/bulk/read.js';

/** Each request except `close` gets an answer, in the order of the requests. */
export type BulkRequest = { job: number } & (
  | { type: 'read'; bytes: Uint8Array<ArrayBuffer>; now: Instant }
  | { type: 'first'; born: BulkOrigin; limits: AppendLimits }
  | { type: 'next' }
  | { type: 'close' }
);

export type BulkAnswer = { job: number } & (
  | { type: 'read'; run: SubmittedRun; count: number; counts: ItemCounts }
  /** The items of one append; null after the last. */
  | { type: 'append'; texts: string[] | null }
  | { type: 'refused'; code: ErrorCode; detail: string; fields: readonly FieldError[] }
  | { type: 'failed'; error: string }
);

type Job = { appends(born: BulkOrigin, limits: AppendLimits): Generator<string[], void> };

const schemas = loadSchemas('requests', ['SubmitItem', 'SubmitRun']);
const checks = { run: schemas.get('SubmitRun')!.check, item: schemas.get('SubmitItem')!.check };
const jobs = new Map<number, Job>();
const appends = new Map<number, Generator<string[], void>>();

parentPort!.on('message', (request: BulkRequest) => {
  if (request.type === 'close') {
    jobs.delete(request.job);
    appends.delete(request.job);
    return;
  }
  parentPort!.postMessage(answerTo(request));
});

function answerTo(request: Exclude<BulkRequest, { type: 'close' }>): BulkAnswer {
  const { job } = request;
  try {
    switch (request.type) {
      case 'read': {
        const { run, items } = readSubmission(request.bytes, request.now, checks);
        jobs.set(job, items);
        return { job, type: 'read', run, count: items.count, counts: items.counts };
      }
      case 'first':
        appends.set(job, jobs.get(job)!.appends(request.born, request.limits));
        return next(job);
      case 'next':
        return next(job);
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) {
      return { job, type: 'failed', error: error instanceof Error ? error.stack! : String(error) };
    }
    return { job, type: 'refused', code: error.code, detail: error.message, fields: error.fields };
  }
}

function next(job: number): BulkAnswer {
  const { value } = appends.get(job)!.next();
  return { job, type: 'append', texts: value ?? null };
}
