/** Submits a run with any number of results. */
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { limits } from '../limits.js';
import type { Caller, CallOptions } from './call.js';
import { failCall } from './errors.js';
import type { SubmitItem, SubmitRun, SubmittedRun as Recorded } from './api.generated.js';
import { splitRun } from './split-run.js';

/** The body of `POST /v1/test-runs` with any number of results. `project_id` can be left to the client's `project`. */
export type RunToSubmit = Omit<SubmitRun, 'project_id' | 'results'> & {
  project_id?: string | undefined;
  results?: readonly SubmitItem[];
};

export type SubmitOptions = CallOptions & {
  /**
   * Names the submission. The same call with the same key, in this process or another one, adds nothing within a day.
   * Without it, only the repeats of this one call add nothing.
   */
  idempotencyKey?: string;
};

export type SubmittedRun = {
  id: string;
  status: Recorded['status'];
  /** The number of results of the run that count. */
  test_count: number;
  /** Whether the run had all of the results already: only a run with a `submission_key` says so. */
  repeated: boolean;
  /** The id of the n-th of the submitted results, from 0. @throws RangeError where there is none */
  resultId(n: number): string;
};

/** The server reads smaller bodies before they wait for their turn, if they are not compressed. */
const COMPRESSED_FROM_BYTES = 1024 * 1024;
/** A submission can wait for its turn, and a large one takes its time. */
const SUBMIT_MS = 120_000;

const compressed = promisify(gzip);

/**
 * Submits in one call where the run fits into one, all or nothing. A larger run is sent in several calls, one after the
 * other. A `run_key` joins them, and the last one completes the run.
 * @throws TestledgerError. A run in several calls may then be there in part; the same call with the same
 *   `idempotencyKey` adds the rest.
 */
export async function submitRun(
  caller: Caller,
  run: RunToSubmit,
  { idempotencyKey: givenKey, ...options }: SubmitOptions = {},
): Promise<SubmittedRun> {
  const idempotencyKey = givenKey ?? randomUUID();
  const { results = [], ...description } = run;
  const project_id = run.project_id ?? caller.project ?? failCall('The run names no `project_id`.');
  const parts = splitRun(results);
  const whole = { ...description, project_id };
  if (parts.length > 1 && run.shard)
    failCall(`A shard fits into one call: up to ${limits.itemsPerSubmission} results in 32 MiB.`);

  const ids: string[] = Array.from({ length: results.length });
  let last: Recorded | null = null;
  let repeated = true;
  for (const [n, { places }] of parts.entries()) {
    const isOne = parts.length === 1;
    const body: SubmitRun = {
      ...whole,
      // Its unread failures count once.
      ...(n < parts.length - 1 && { report: null }),
      ...(!isOne && {
        run_key: run.run_key ?? idempotencyKey,
        complete: n === parts.length - 1 && (run.complete ?? !run.run_key),
        ...(run.submission_key && { submission_key: `${run.submission_key}.${n + 1}` }),
      }),
      ...(run.results && { results: places.map((place) => results[place]!) }),
    };
    const key = isOne ? keyOf(run, givenKey, idempotencyKey) : `${idempotencyKey}.${n + 1}`;
    const { data } = await post(caller, body, { ...options, idempotencyKey: key });
    for (const [ordinal, place] of places.entries()) ids[place] = `${data.result_id_prefix}${ordinal}`;
    last = data;
    repeated &&= data.repeated ?? false;
  }
  const { id, status, test_count } = last!;
  return {
    id,
    status,
    test_count,
    repeated,
    resultId: (n) => ids[n] ?? outOfRange(n, ids.length),
  };
}

/** Results as JSON: the items with commas between them, in any number of bytes that one call takes. */
export type WrittenResults = { items: Uint8Array; count: number };

/**
 * Submits results that are JSON already, in one call. It is for results that are too many for memory.
 * @throws TestledgerError
 */
export async function submitRunWith(
  caller: Caller,
  run: Omit<RunToSubmit, 'results'>,
  { items, count }: WrittenResults,
  { idempotencyKey: givenKey, ...options }: SubmitOptions = {},
): Promise<SubmittedRun> {
  const idempotencyKey = keyOf(run, givenKey, randomUUID());
  const project_id = run.project_id ?? caller.project ?? failCall('The run names no `project_id`.');
  const description = JSON.stringify({ ...run, project_id });
  const body = Buffer.concat([
    Buffer.from(`${description.slice(0, -1)},"results":[`),
    items,
    Buffer.from(']}'),
  ]);
  const { data } = await postText(caller, body, { ...options, idempotencyKey });
  const { id, status, test_count, result_id_prefix, repeated = false } = data;
  return {
    id,
    status,
    test_count,
    repeated,
    resultId: (n) => (n >= 0 && n < count ? `${result_id_prefix}${n}` : outOfRange(n, count)),
  };
}

/** A shard or a call with a name can come twice without a key. After a crash of the server, a key would hold it up for 10 s. */
function keyOf(
  { shard, submission_key }: Omit<RunToSubmit, 'results'>,
  given: string | undefined,
  made: string,
): string | null {
  return given ?? (shard || submission_key ? null : made);
}

async function post(
  caller: Caller,
  body: SubmitRun,
  options: CallOptions & { idempotencyKey: string | null },
): Promise<{ data: Recorded }> {
  return postText(caller, Buffer.from(JSON.stringify(body)), options);
}

async function postText(
  caller: Caller,
  text: Buffer<ArrayBuffer>,
  options: CallOptions & { idempotencyKey: string | null },
): Promise<{ data: Recorded }> {
  const isCompressed = text.length > COMPRESSED_FROM_BYTES && !isOnThisMachine(caller.urlOf('/'));
  const content = isCompressed ? await compressed(text, { level: constants.Z_BEST_SPEED }) : text;
  return caller.call<{ data: Recorded }>('POST', '/v1/test-runs', {
    timeoutMs: Math.max(caller.timeoutMs, SUBMIT_MS),
    ...options,
    content,
    headers: isCompressed ? { 'content-encoding': 'gzip' } : {},
  });
}

/** There, both ends would spend processor time on bytes that no network carries. */
function isOnThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

function outOfRange(n: number, count: number): never {
  throw new RangeError(`There is no result ${n}: ${count} were submitted.`);
}
