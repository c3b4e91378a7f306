/**
 * The thread of bulk submissions: it parses, checks and packs them, so that they never hold up the thread that answers
 * requests. A body that fills its memory ends this thread, not the server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { AppendLimits } from '../ports/event-log.js';
import type { OtherItems, Replacing } from '../commands/replacing.js';
import type { PackedItems } from '../commands/submissions/packed-items.js';
import type {
  BulkOrigin,
  PackedChunk,
  Submission,
  SubmittedRun,
} from '../commands/submissions/submission.js';
import { contentHashOf } from '../secret-key/content-hash.js';
import { answerCalls } from '../concurrency/thread-calls.js';
import { openTurns } from '../concurrency/turns.js';
import type { EnvironmentKey } from '../domain/environment.js';
import type { Instant } from '../domain/event.js';
import { collectWhenIdle } from '../memory/collect-when-idle.js';
import { freeBuffers } from '../memory/free-buffers.js';
import { submissionInSteps, type ReadRun } from '../http/bulk/read.js';
import { submissionChecks } from '../http/bulk/read-here.js';

/** `contentKey`: of the hashes of contents. */
export type BulkThreadData = { contentKey: Uint8Array };

type Of<More = object> = { job: number } & More;
type Reading = { team: string; bytes: Uint8Array<ArrayBuffer>; now: Instant };
type Appending = { born: BulkOrigin; limits: AppendLimits; from: number };

/** `read` opens a job, `close` ends it. A `read` may take long: others are answered meanwhile. */
export type BulkCalls = {
  read(reading: Of<Reading>): Promise<ReadSubmission>;
  /** Begins to relate the items to those of other attempts of the shard. */
  relate(shard: Of<{ attempt: number; environment: EnvironmentKey }>): void;
  /** A page of these, or null behind the last. Answers how many results count no more, once all items are related. */
  others(page: Of<{ items: OtherItems | null }>): number;
  /** The items of the first append; null where there are none. */
  first(appending: Of<Appending>): PackedChunk[] | null;
  /** The items of the next append; null after the last. */
  next(of: Of): PackedChunk[] | null;
  close(of: Of): void;
};

export type ReadSubmission = { run: SubmittedRun } & Pick<
  Submission,
  'count' | 'counts' | 'items_hash' | 'duration_ms'
>;

type Job = {
  items: PackedItems;
  relating: ReturnType<PackedItems['relate']> | null;
  replacing: Replacing | undefined;
};

collectWhenIdle();
const checks = submissionChecks();
const hashOf = contentHashOf((workerData as BulkThreadData).contentKey);
const jobs = new Map<number, Job>();
const appends = new Map<number, Generator<PackedChunk[], void>>();

/** A turn of one body. An item may take longer. */
const TURN_MS = 20;
/** A body of 32 MiB can take many seconds: the teams take turns, so that none waits for the bodies of another. */
const turns = openTurns();

answerCalls<BulkCalls>(parentPort!, {
  async read(reading) {
    const { run, items, hash } = await read(reading);
    jobs.set(reading.job, { items, relating: null, replacing: undefined });
    const { count, counts, duration_ms } = items;
    return { run, count, counts, duration_ms, items_hash: hash };
  },
  relate({ job, attempt, environment }) {
    const open = jobs.get(job)!;
    open.relating = open.items.relate(attempt, environment);
  },
  others: ({ job, items }) => relate(jobs.get(job)!, items),
  first({ job, born, limits, from }) {
    const { items, replacing } = jobs.get(job)!;
    appends.set(job, items.appends(born, limits, from, replacing));
    return next(job);
  },
  next: ({ job }) => next(job),
  close({ job }) {
    jobs.get(job)?.items.free();
    jobs.delete(job);
    appends.delete(job);
  },
});

/** Only this request has the body, so it is freed here. */
async function read({ team, bytes, now }: Reading): Promise<ReadRun> {
  try {
    const reading = submissionInSteps(bytes, { now, checks, hash: hashOf(team) });
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

function relate(open: Job, others: OtherItems | null): number {
  if (others !== null) {
    open.relating!.add(others);
    return 0;
  }
  open.replacing = open.relating!.end();
  open.relating = null;
  return open.replacing.replaced;
}

function next(job: number): PackedChunk[] | null {
  return appends.get(job)!.next().value ?? null;
}
