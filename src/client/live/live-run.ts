/** One run that is posted while its tests run, and that neither fails nor slows them. */
// Loaded before the tests: they replace the globals, and what these modules hold.
import { clearTimeout, setTimeout } from 'node:timers';
import { connectServer } from './connect.js';
import type { LiveItem } from './item.js';
import { openPoster, type LiveServer, type PostedRun } from './poster.js';
import { liveQueue, type Bounds } from './queue.js';
import { maskedText } from '../masking/masker.js';
import { liveSettings, type LiveRunOptions, type LiveSettings } from './settings.js';
import { openTries, type Timing } from './tries.js';
import { openUploads } from './uploads.js';

export type LiveRun = {
  /** Takes one test with all its attempts. Never throws and never waits. */
  add(...attempts: readonly LiveItem[]): void;
  /**
   * Takes one test whose item is made later, with others: between two tests, the same work takes five times as long,
   * because the processor has forgotten its code. The function must hold nothing large, because only the number of such
   * tests is bounded.
   */
  addLater(item: () => LiveItem): void;
  /** Posts what is left, for at most 5 s. Never rejects; what was lost stands in one line on stderr. */
  finish(): Promise<LiveSummary>;
};

export type LiveSummary = {
  run: PostedRun | null;
  posted: number;
  lost: number;
  uploaded: number;
  notUploaded: number;
  /** Why something was lost; null where nothing was. */
  reason: string | null;
};

export type LiveRunStart = LiveRunOptions & {
  /** The test framework: the `tool` of the run. */
  tool: string;
  /** False for a replay of tests that ended before. The same replay then makes the same calls, which add nothing. */
  live?: boolean;
  /** False where the framework only lists its tests: none of them has passed. */
  runsTests?: boolean;
  /** What was asked of the framework, where the arguments of this process do not say it. */
  argv?: readonly string[];
};

/** What tests of this module replace. */
export type LiveSurroundings = {
  env?: Readonly<Record<string, string | undefined>>;
  connect?: (settings: LiveSettings) => Promise<LiveServer>;
  print?: (line: string) => void;
  timing?: Partial<Timing>;
  queueBytes?: number;
};

/** A call takes a few milliseconds of the tests, so there is at most one a second while batches are not full. */
const TIMING: Timing = { batchMs: 1_000, exitMs: 5_000, firstPauseMs: 250, longestPauseMs: 10_000 };
const KIB = 1_024;
const LIVE_BATCH: Bounds = { results: 200, bytes: 512 * KIB };
/** At the end, fewer calls are quicker. */
const LAST_BATCH: Bounds = { results: 5_000, bytes: 4_096 * KIB };
const WHOLE: Bounds = { results: 50_000, bytes: 32_768 * KIB };
const QUEUE_BYTES = 8_192 * KIB;
/** A shard is one call, so all of it waits until the end. A call may have 32 MiB. */
const SHARD_QUEUE_BYTES = 24_576 * KIB;

/** Never throws: a wrong configuration is one line on stderr, and then nothing is posted. */
export function startLiveRun(start: LiveRunStart, around: LiveSurroundings = {}): LiveRun {
  const print = around.print ?? ((line: string) => void process.stderr.write(`${line}\n`));
  try {
    if (start.runsTests === false) {
      print('testledger: nothing is posted: the tests do not run');
      return nothingPosted();
    }
    const found = liveSettings(start, {
      tool: start.tool,
      ...(start.argv && { argv: start.argv }),
      ...(around.env && { env: around.env }),
    });
    if (found.kind === 'settings') {
      for (const warning of found.settings.warnings) print(`testledger: warning: ${warning}`);
      return openLiveRun(found.settings, start.live ?? true, { ...around, print });
    }
    print(`testledger: ${found.notice}`);
  } catch (error) {
    print(`testledger: nothing is posted: ${messageOf(error)}`);
  }
  return nothingPosted();
}

function nothingPosted(): LiveRun {
  const summary = { run: null, posted: 0, lost: 0, uploaded: 0, notUploaded: 0, reason: null };
  return { add() {}, addLater() {}, finish: async () => summary };
}

type Opened = LiveSurroundings & { print: (line: string) => void };

function openLiveRun(settings: LiveSettings, live: boolean, around: Opened): LiveRun {
  const timing = { ...TIMING, ...around.timing };
  const isLive = live && settings.shard === null;
  const queue = liveQueue(around.queueBytes ?? (isLive ? QUEUE_BYTES : SHARD_QUEUE_BYTES), settings.masker);
  const tries = openTries(timing);
  const server = once(() => (around.connect ?? connectServer)(settings));
  const uploads = openUploads(tries, server, settings.masker);
  const poster = openPoster({ settings, tries, server, uploads, isLive });
  let lost = 0;
  let reason: string | null = null;
  let finishing: Promise<LiveSummary> | null = null;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** Tests whose items are not made yet, up to one batch. */
  let unmade: (() => LiveItem)[] = [];

  function lose(results: number, why: string): void {
    lost += results;
    reason ??= why;
  }

  function put(attempts: readonly LiveItem[]): void {
    const kept = settings.attachments ? attempts : attempts.map((item) => ({ ...item, attachments: [] }));
    if (!queue.add(kept)) lose(attempts.length, 'the queue was full');
  }

  /** Never throws. */
  function makeItems(): void {
    const waiting = unmade;
    unmade = [];
    for (const make of waiting) {
      try {
        put([make()]);
      } catch (error) {
        lose(1, messageOf(error));
      }
    }
  }

  /** Never rejects: nothing awaits it while the tests run, and an unhandled rejection would end them. */
  async function postBatch(bounds: Bounds): Promise<void> {
    const before = queue.results;
    const batch = queue.take(bounds);
    try {
      const isLast = finishing !== null && queue.results === 0;
      const failed = await poster.post(batch, { isLast });
      if (failed !== null) lose(failed.results, failed.reason);
    } catch (error) {
      lose(before - queue.results, messageOf(error));
    }
  }

  const isFull = (): boolean => queue.results >= LIVE_BATCH.results || queue.bytes >= LIVE_BATCH.bytes;

  /** What came meanwhile waits for its own time: posted at once, each call would have two or three results. */
  async function postLive(): Promise<void> {
    do {
      makeItems();
      if (queue.results > 0) await postBatch(LIVE_BATCH);
    } while (isFull());
  }

  function wait(): void {
    timer ??= setTimeout(flush, timing.batchMs).unref();
  }

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    working ??= postLive().finally(() => {
      working = null;
      if (finishing === null && (queue.results > 0 || unmade.length > 0)) wait();
    });
  }

  async function finish(): Promise<LiveSummary> {
    if (timer !== null) clearTimeout(timer);
    tries.hurry();
    await working;
    makeItems();
    while (queue.results > 0) await postBatch(settings.shard === null ? LAST_BATCH : WHOLE);
    // A run waits for each of its shards, also for one without tests. One that lost its results stays missing.
    if (settings.shard !== null && lost === 0 && poster.summary().posted === 0)
      reason ??= (await poster.post([], { isLast: true }))?.reason ?? null;
    const notCompleted = await poster.complete();
    if (notCompleted !== null) reason ??= notCompleted;
    const files = await uploads.finish();
    tries.close();
    const { run, posted } = poster.summary();
    const summary = { run, posted, lost, ...files, reason: reason ?? files.reason };
    const line = lineFor(summary, settings.url, maskedText(settings.masker.found()));
    if (line !== null) around.print(line);
    return summary;
  }

  /** Takes tests by `enter`, unless the run is over. */
  function take(results: number, enter: () => void): void {
    try {
      if (finishing !== null) return lose(results, 'they came after the end of the run');
      const stopped = poster.stopped();
      if (stopped !== null) return lose(results, stopped);
      enter();
      if (!isLive) return;
      if (isFull()) flush();
      else wait();
    } catch (error) {
      lose(results, messageOf(error));
    }
  }

  return {
    add: (...attempts) =>
      take(attempts.length, () => {
        makeItems();
        put(attempts);
      }),
    addLater: (item) =>
      take(1, () => {
        unmade.push(item);
        if (unmade.length >= LIVE_BATCH.results) makeItems();
      }),
    finish: () => (finishing ??= finish()),
  };
}

function lineFor(
  { run, posted, lost, notUploaded, reason }: LiveSummary,
  url: string,
  masked: string | null,
): string | null {
  // The page, not the address in the API: a browser has no key.
  const where = run === null ? url : `${url.replace(/\/+$/, '')}/runs/${run.id}`;
  const maskings = masked === null ? '' : `, ${masked}`;
  if (lost === 0 && notUploaded === 0 && reason === null)
    return run === null ? null : `testledger: ${posted} results are posted${maskings}: ${where}`;
  const all = posted + lost;
  const files = notUploaded === 0 ? '' : `, ${notUploaded} files not uploaded`;
  return `testledger: warning: ${lost} of ${all} results not posted${files}${maskings} (${where}): ${oneLine(reason ?? 'unknown')}`;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 500);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
