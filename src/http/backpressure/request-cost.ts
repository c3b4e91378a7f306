/**
 * The points that a request costs beyond its first one (docs/api.md, section 1.10). A point stands for about 1 ms of the
 * thread that answers requests. Without this, a few large requests would take what the limit leaves to hundreds of small
 * ones.
 */

const KIB = 1_024;

/** Bodies of up to this size cost nothing more: a result with its error message and some metadata is smaller. */
const FREE_BODY_BYTES = 16 * KIB;
const BODY_BYTES_PER_POINT = 8 * KIB;
/** Submissions are parsed in another thread. */
const SUBMISSION_BYTES_PER_POINT = 64 * KIB;
const POINTS_PER_STEP = 3;
const SEARCHED_TESTS_PER_POINT = 2_500;
const RUNS_PER_POINT = 100;
const RESULTS_PER_POINT = 10;
const MARKED_TESTS_PER_POINT = 10;
/** A page of 250 usual events, or of 100 results with some metadata, has less. */
const FREE_ANSWER_CHARACTERS = 256 * KIB;
const ANSWER_CHARACTERS_PER_POINT = 32 * KIB;

/** For a body of this size after decompression. */
export function bodyPoints(bytes: number): number {
  return Math.ceil(Math.max(0, bytes - FREE_BODY_BYTES) / BODY_BYTES_PER_POINT);
}

/** For the body of a bulk submission. */
export function submissionPoints(bytes: number): number {
  return Math.floor(bytes / SUBMISSION_BYTES_PER_POINT);
}

/** For a page of the replay or of a history, by its `work`. A page of one full step costs nothing more. */
export function replayPagePoints(work: number): number {
  return Math.floor(POINTS_PER_STEP * Math.max(0, work - 1));
}

/** For the answer to a GET of this length, before compression: its contents were read, put together and written as JSON. */
export function answerPoints(characters: number): number {
  return Math.ceil(Math.max(0, characters - FREE_ANSWER_CHARACTERS) / ANSWER_CHARACTERS_PER_POINT);
}

/** For a page that took this time to render, which nothing else could use. */
export function renderPoints(ms: number): number {
  return Math.floor(ms);
}

/** For results that are read whole though the answer shows only their names. */
export function namedResultsPoints(results: number): number {
  return Math.floor(results / RESULTS_PER_POINT);
}

/** For tests whose known failures are set or ended by one call: each is an append of its own. */
export function markedTestsPoints(tests: number): number {
  return Math.floor(tests / MARKED_TESTS_PER_POINT);
}

/** For a search that looks through the names of this many tests. */
export function searchPoints(tests: number): number {
  return Math.floor(tests / SEARCHED_TESTS_PER_POINT);
}

/** For a list that looks through this many runs. The first hundred cost nothing more. */
export function lookedThroughPoints(runs: number): number {
  return Math.ceil(Math.max(0, runs - RUNS_PER_POINT) / RUNS_PER_POINT);
}

/** For the begin of a stream. While it lasts, its place and its turns bound what it costs. */
export const NDJSON_STREAM_POINTS = 9;
/** The same for a table. */
export const EXPORT_POINTS = 9;
/** Less, because clients reconnect at once after a restart of the server. */
export const LIVE_STREAM_POINTS = 3;
