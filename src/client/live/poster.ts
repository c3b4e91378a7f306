/** Posts batches of tests as calls of one run, one after the other. */
import { MOST_ATTEMPTS_TRIED } from '../ci/ci-environment.js';
import { instantOf, ownTime } from './own-clock.js';
import type { QueuedTest } from './queue.js';
import type { LiveSettings } from './settings.js';
import type { Refusal, Tries } from './tries.js';
import type { WrittenResults } from '../submit-run.js';
import type { Uploads, UploadingServer } from './uploads.js';

export type Poster = {
  /** Null where the results were accepted. Never rejects. */
  post(batch: readonly QueuedTest[], { isLast }: { isLast: boolean }): Promise<NotPosted | null>;
  /** Completes the run, where no call with results did; null where that is done or not wanted. */
  complete(): Promise<string | null>;
  /** Why nothing more is posted; null while it is. */
  stopped(): string | null;
  summary(): { run: PostedRun | null; posted: number };
};

/** The functions of the client that a live run calls. They throw errors with a stable `code`. */
export type LiveServer = UploadingServer & {
  submitRun(run: LiveCall, options: LiveCallOptions): Promise<AcceptedCall>;
  submitRunWith(run: LiveCall, results: WrittenResults, options: LiveCallOptions): Promise<AcceptedCall>;
};

type LiveCallOptions = { idempotencyKey: string; signal: AbortSignal };

export type LiveCall = {
  project_id: string;
  run_key: string;
  shard?: { index: number; total: number; attempt: number };
  complete?: boolean;
  label?: string;
  metadata: Record<string, unknown>;
  started_at?: string;
  finished_at?: string;
};

export type AcceptedCall = { id: string; status: string; resultId(n: number): string };

export type PostedRun = { id: string; status: string };

type NotPosted = { results: number; reason: string };

type PosterParts = {
  settings: LiveSettings;
  tries: Tries;
  server: () => Promise<LiveServer>;
  uploads: Uploads;
  isLive: boolean;
};

export function openPoster({ settings, tries, server, uploads, isLive }: PosterParts): Poster {
  const startedAt = instantOf(ownTime());
  let run: PostedRun | null = null;
  let posted = 0;
  let calls = 0;
  let isCompleted = false;
  let stopped: string | null = null;
  let attempt = settings.shard?.attempt ?? 1;

  function callOf({ complete }: { complete: boolean }): LiveCall {
    const { project, runKey, shard, label, metadata } = settings;
    return {
      project_id: project,
      run_key: runKey,
      ...(shard && { shard: { index: shard.index, total: shard.total, attempt } }),
      ...(label !== null && { label }),
      metadata,
      // A replay leaves the instants to those of its results, or its calls would never be the same twice.
      ...(isLive && { started_at: startedAt, finished_at: instantOf(ownTime()) }),
      ...(complete && { complete }),
    };
  }

  function send(call: LiveCall, results: WrittenResults | null, suffix = '') {
    const idempotencyKey = `${settings.callPrefix}-${calls}-${attempt}${suffix}`;
    return tries.untilAnswered(async (signal) => {
      const { submitRun, submitRunWith } = await server();
      const options = { idempotencyKey, signal };
      return results === null ? submitRun(call, options) : submitRunWith(call, results, options);
    });
  }

  async function post(batch: readonly QueuedTest[], isLast: boolean, suffix = ''): Promise<NotPosted | null> {
    const results = countOf(batch);
    if (stopped !== null) return { results, reason: stopped };
    const complete = isLast && settings.complete && settings.shard === null;
    const items = Buffer.from(batch.map(({ json }) => json).join(','));
    const outcome = await send(callOf({ complete }), { items, count: results }, suffix);
    switch (outcome.kind) {
      case 'done': {
        const { id, status } = outcome.value;
        run = { id, status };
        posted += results;
        isCompleted = complete;
        uploads.add(batch, (n) => outcome.value.resultId(n));
        return null;
      }
      case 'gave_up':
        stopped = outcome.reason;
        return { results, reason: stopped };
      case 'refused':
        return refused(batch, isLast, outcome.error);
    }
  }

  async function refused(
    batch: readonly QueuedTest[],
    isLast: boolean,
    error: Refusal,
  ): Promise<NotPosted | null> {
    if (isEarlierAttempt(error) && attempt < MOST_ATTEMPTS_TRIED) {
      attempt += 1;
      return post(batch, isLast);
    }
    const wrong = wrongTests(batch, error);
    const rest = batch.filter((test) => !wrong.has(test));
    if (wrong.size === 0 || rest.length === 0) {
      // One wrong batch says nothing of the next one; a wrong key or project does.
      if (wrong.size === 0) stopped = reasonOf(error, settings.runKey);
      return { results: countOf(batch), reason: reasonOf(error, settings.runKey) };
    }
    const failed = await post(rest, isLast, `-${rest.length}`);
    return {
      results: countOf([...wrong]) + (failed?.results ?? 0),
      reason: reasonOf(error, settings.runKey),
    };
  }

  /** Whether the same shard was posted before: by another command, or by this one at another time. */
  function isEarlierAttempt({ code }: Refusal): boolean {
    const { shard } = settings;
    if (shard === null || shard.isAttemptKnown) return false;
    return code === 'shard_exists' || code === 'idempotency_mismatch';
  }

  return {
    async post(batch, { isLast }) {
      calls += 1;
      return post(batch, isLast);
    },
    async complete() {
      if (run === null || isCompleted || stopped !== null || !settings.complete || settings.shard !== null)
        return null;
      calls += 1;
      const outcome = await send(callOf({ complete: true }), null);
      switch (outcome.kind) {
        case 'done':
          run = { id: outcome.value.id, status: outcome.value.status };
          return null;
        case 'gave_up':
          return `the run was not completed: ${outcome.reason}`;
        case 'refused':
          return `the run was not completed: ${outcome.error.message}`;
      }
    },
    stopped: () => stopped,
    summary: () => ({ run, posted }),
  };
}

function countOf(batch: readonly QueuedTest[]): number {
  return batch.reduce((sum, { results }) => sum + results, 0);
}

/** The tests that an answer names: one wrong item refuses a whole call. */
function wrongTests(batch: readonly QueuedTest[], { fields }: Refusal): Set<QueuedTest> {
  const owners = batch.flatMap((test) => Array.from({ length: test.results }, () => test));
  const places = fields.flatMap(({ pointer }) => /^\/?results\/(\d+)/.exec(pointer)?.[1] ?? []);
  return new Set(places.flatMap((place) => owners[Number(place)] ?? []));
}

function reasonOf(error: Refusal, runKey: string): string {
  switch (error.code) {
    case 'idempotency_mismatch':
    case 'shard_exists':
      return `the run "${runKey}" has results of this command already`;
    default:
      return error.message;
  }
}
