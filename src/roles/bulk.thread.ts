/**
 * The thread of bulk submissions: it parses, checks and packs them, so that they never hold up the thread that answers
 * requests. A body that fills its memory ends this thread, not the server.
 */
import { parentPort } from 'node:worker_threads';
import type { AppendLimits } from '../ports/event-log.js';
import type { OtherItems, Replacing } from '../commands/replacing.js';
import type { PackedItems } from '../commands/packed-items.js';
import type { BulkOrigin, PackedChunk, Submission, SubmittedRun } from '../commands/submission.js';
import { openTurns } from '../concurrency/turns.js';
import type { EnvironmentKey } from '../domain/environment.js';
import type { Instant } from '../domain/event.js';
import { AppError, type ErrorCode, type FieldError } from '../errors.js';
import { collectWhenIdle } from '../memory/collect-when-idle.js';
import { freeBuffers } from '../memory/free-buffers.js';
import { submissionInSteps, type ReadRun } from '../http/bulk/read.js';
import { submissionChecks } from '../http/bulk/read-here.js';

/** Each request except `close` gets an answer. A `read` may take long: others are answered meanwhile. */
export type BulkRequest = { job: number } & (
  | { type: 'read'; team: string; bytes: Uint8Array<ArrayBuffer>; now: Instant }
  /** Relates the items to those of other attempts of the shard: these come in pages, and null ends them. */
  | { type: 'relate'; shardAttempt: number; environment: EnvironmentKey }
  | { type: 'others'; items: OtherItems | null }
  | { type: 'first'; born: BulkOrigin; limits: AppendLimits; from: number }
  | { type: 'next' }
  | { type: 'close' }
);

export type BulkAnswer = { job: number } & (
  | ({ type: 'read'; run: SubmittedRun } & Pick<
      Submission,
      'count' | 'counts' | 'items_hash' | 'duration_ms'
    >)
  /** `replaced`: the number of results that count no more, once all items are related. */
  | { type: 'related'; replaced: number }
  /** The items of one append; null after the last. */
  | { type: 'append'; chunks: PackedChunk[] | null }
  | { type: 'refused'; code: ErrorCode; detail: string; fields: readonly FieldError[] }
  | { type: 'failed'; error: string }
);

type Job = {
  items: PackedItems;
  relating: ReturnType<PackedItems['relate']> | null;
  replacing: Replacing | undefined;
};

collectWhenIdle();
const checks = submissionChecks();
const jobs = new Map<number, Job>();
const appends = new Map<number, Generator<PackedChunk[], void>>();

/** A turn of one body. An item may take longer. */
const TURN_MS = 20;
/** A body of 32 MiB can take many seconds: the teams take turns, so that none waits for the bodies of another. */
const turns = openTurns();

type Request<T extends BulkRequest['type']> = Extract<BulkRequest, { type: T }>;

parentPort!.on('message', (request: BulkRequest) => {
  if (request.type === 'close') {
    jobs.get(request.job)?.items.free();
    jobs.delete(request.job);
    appends.delete(request.job);
  } else if (request.type === 'read') {
    void answerToRead(request).then((answer) => parentPort!.postMessage(answer));
  } else parentPort!.postMessage(answerTo(request));
});

async function answerToRead(request: Request<'read'>): Promise<BulkAnswer> {
  const { job } = request;
  try {
    const { run, items, hash } = await read(request);
    jobs.set(job, { items, relating: null, replacing: undefined });
    const { count, counts, duration_ms } = items;
    return { job, type: 'read', run, count, counts, duration_ms, items_hash: hash };
  } catch (error) {
    return refusalOf(job, error);
  }
}

function answerTo(request: Request<'relate' | 'others' | 'first' | 'next'>): BulkAnswer {
  const { job } = request;
  try {
    switch (request.type) {
      case 'relate': {
        const open = jobs.get(job)!;
        open.relating = open.items.relate(request.shardAttempt, request.environment);
        return { job, type: 'related', replaced: 0 };
      }
      case 'others':
        return relate(job, request.items);
      case 'first': {
        const { items, replacing } = jobs.get(job)!;
        appends.set(job, items.appends(request.born, request.limits, request.from, replacing));
        return next(job);
      }
      case 'next':
        return next(job);
    }
  } catch (error) {
    return refusalOf(job, error);
  }
}

function refusalOf(job: number, error: unknown): BulkAnswer {
  if (!(error instanceof AppError)) {
    return {
      job,
      type: 'failed',
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
  return { job, type: 'refused', code: error.code, detail: error.message, fields: error.fields };
}

/** Only this request has the body, so it is freed here. */
async function read({ team, bytes, now }: Request<'read'>): Promise<ReadRun> {
  try {
    const reading = submissionInSteps(bytes, now, checks);
    for (;;) {
      await turns.next(team);
      const end = performance.now() + TURN_MS;
      do {
        const step = reading.next();
        if (step.done === true) return step.value;
      } while (performance.now() < end);
    }
  } finally {
    freeBuffers([bytes.buffer]);
  }
}

function relate(job: number, others: OtherItems | null): BulkAnswer {
  const open = jobs.get(job)!;
  if (others !== null) {
    open.relating!.add(others);
    return { job, type: 'related', replaced: 0 };
  }
  open.replacing = open.relating!.end();
  open.relating = null;
  return { job, type: 'related', replaced: open.replacing.replaced };
}

function next(job: number): BulkAnswer {
  const { value } = appends.get(job)!.next();
  return { job, type: 'append', chunks: value ?? null };
}
