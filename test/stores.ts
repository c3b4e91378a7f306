/** The basis of the tests of the core: the embedded stores in a folder of their own, and a way to break them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '../src/adapters/sqlite/log/log.js';
import { openSqliteState } from '../src/adapters/sqlite/state/state.js';
import { openSqliteViewReader } from '../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../src/adapters/sqlite/views/writer.js';
import { instant, type Clock } from '../src/clock.js';
import { newIds } from '../src/commands/ids.js';
import { openCommandHandler } from '../src/commands/command-handler.js';
import type { CommandContext } from '../src/commands/command-context.js';
import type { EventLog } from '../src/ports/event-log.js';
import type { State } from '../src/ports/state.js';
import type { ViewReader, ViewWriter } from '../src/ports/views.js';
import { loadSchemas } from '../src/validation/schemas.js';
import { streamPages, type StreamReader } from '../src/log/streams.js';
import { chunkedLog } from '../src/log/chunked-log.js';
import { upcastLog } from '../src/log/upcast-log.js';
import { validatedLog } from '../src/log/validated-log.js';
import { project } from '../src/domain/project.js';
import { runIdOf } from '../src/domain/runs/run-key.js';
import { run } from '../src/domain/runs/run.js';
import type { SubmitToRun } from '../src/domain/runs/submissions.js';
import { streamName, type EventMeta, type RecordedEvent, type StreamName } from '../src/domain/event.js';
import { chunkEvents } from './domain/item-chunks.js';
import { countsOf, submittedItems, type Item, type Submitted } from './domain/submission.js';

export const NOW = '2026-11-21T12:00:00.000Z';

export type Stores = {
  readonly log: EventLog;
  readonly reader: ViewReader;
  readonly writer: ViewWriter;
  readonly state: State;
  /** The clock of State and of the test. It stands still unless the test moves it. */
  readonly clock: TestClock;
  /** Ends something before the stores are closed, in the reverse order of these calls. */
  beforeClose(end: () => Promise<unknown>): void;
  /** Opens the same files once more, as a server that starts again does. */
  restart(): Promise<void>;
};

type Open = Pick<Stores, 'reader' | 'writer' | 'state'> & { log: EventLog | null };

export type TestClock = Clock & { forward(milliseconds: number): void };

/** Compiling them takes longer than most tests. */
let schemas: ReturnType<typeof loadSchemas> | undefined;

/**
 * New stores for each test of the block, or the same for all of them. The log checks every event; it takes longest
 * to open, so those that need none leave it out.
 */
export function embeddedStores(lifetime: 'each test' | 'each suite', { log: withLog = true } = {}): Stores {
  let folder = '';
  let open: Open | null = null;
  let time = testClock();
  const clock: TestClock = Object.assign(() => time(), { forward: (ms: number) => time.forward(ms) });
  let ends: (() => Promise<unknown>)[] = [];
  const stores = () => open ?? fault('the stores are not open');
  async function start(): Promise<void> {
    const log = withLog ? await openSqliteLog({ folder, mode: 'writer' }) : null;
    const writer = openSqliteViewWriter({ folder });
    const reader = openSqliteViewReader({ folder });
    const state = openSqliteState({ folder, now: () => instant(clock) });
    schemas ??= log === null ? undefined : loadSchemas('events');
    open = {
      log: log === null ? null : upcastLog(validatedLog(chunkedLog(log), schemas)),
      writer,
      reader,
      state,
    };
  }
  async function stop(): Promise<void> {
    for (const end of ends.toReversed()) await end();
    ends = [];
    const { state, reader, writer, log } = stores();
    for (const store of [state, reader, writer, log]) await store?.close();
  }
  const [first, last] = lifetime === 'each test' ? [beforeEach, afterEach] : [before, after];
  first(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-core-'));
    time = testClock();
    await start();
  });
  last(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });
  return {
    clock,
    beforeClose: (end) => void ends.push(end),
    get log() {
      return stores().log ?? fault('the log was left out');
    },
    get reader() {
      return stores().reader;
    },
    get writer() {
      return stores().writer;
    },
    get state() {
      return stores().state;
    },
    async restart() {
      await stop();
      await start();
    },
  };
}

/** Begins at NOW, and moves only when a test moves it. */
export function testClock(): TestClock {
  let now = Date.parse(NOW);
  return Object.assign(() => new Date(now), {
    forward: (milliseconds: number) => {
      now += milliseconds;
    },
  });
}

/** The context of a command, with new ids, at NOW. */
export function contextOf(team: string, more: Partial<CommandContext> = {}): CommandContext {
  const sender = { team, project_ids: null, actor: 'key_1' };
  return { ...sender, at: NOW, correlationId: 'request', ids: newIds, resumed: false, ...more };
}

/** A team of its own with a project and a run. */
export async function givenRun(log: EventLog, more: { metadata?: Record<string, unknown> } = {}) {
  const commands = openCommandHandler(log);
  const team = newIds.created('team');
  const [project_id, run_id] = [newIds.created('project'), newIds.created('run')];
  const context = contextOf(team);
  const projectStream = streamName('project', team, project_id);
  const create = { type: 'CreateProject', project_id, name: 'Shop', description: null } as const;
  await commands.execute(project, projectStream, context, create);
  const runStream = streamName('run', team, run_id);
  const { metadata = null } = more;
  const start = { type: 'CreateRun', run_id, project_id, label: 'nightly', metadata } as const;
  await commands.execute(run, runStream, context, start);
  return { commands, team, project_id, run_id, projectStream, runStream, context };
}

/**
 * A submitted run, made by the steps of the core: first the items in their stream, then the run that makes them count.
 * Without that run, the items are as a crash leaves them.
 */
export async function givenSubmission(
  log: EventLog,
  { team, project_id }: { team: string; project_id: string },
  items: readonly Item[],
  { takesEffect = true, started_at = null }: { takesEffect?: boolean; started_at?: string | null } = {},
) {
  const commands = openCommandHandler(log);
  const run_id = newIds.created('run');
  const context = contextOf(team);
  const facts = submittedItems({ run_id, project_id }, items);
  const { actor, at, correlationId } = context;
  const meta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
  await appendItems(log, streamName('items', team, run_id), facts, meta);
  const runStream = streamName('run', team, run_id);
  const described = { label: null, metadata: null, started_at, finished_at: NOW, items: items.length };
  const command = { type: 'SubmitRun', run_id, project_id, ...described } as const;
  if (takesEffect) await commands.execute(run, runStream, context, command, { newStream: true });
  return { run_id, runStream, result_ids: facts.map(({ result_id }) => result_id) };
}

/** A call to a run with a key, made by the steps of the core, as `givenSubmission`. */
export async function givenCall(
  log: EventLog,
  { team, project_id }: { team: string; project_id: string },
  items: readonly Item[],
  { run_key = 'a key', shard = null }: { run_key?: string; shard?: SubmitToRun['shard'] } = {},
) {
  const run_id = runIdOf(project_id, run_key)!;
  const submission_id = newIds.created('run');
  const context = contextOf(team);
  const facts = submittedItems({ run_id, project_id, submission_id }, items);
  const { actor, at, correlationId } = context;
  const meta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
  await appendItems(log, streamName('items', team, submission_id), facts, meta);
  const command: SubmitToRun = {
    type: 'SubmitToRun',
    at,
    run_id,
    project_id,
    run_key,
    label: null,
    metadata: null,
    submission_id,
    items: items.length,
    item_counts: countsOf(facts),
    replaced: 0,
    shard,
    items_hash: submission_id,
    duration_ms: 0,
    started_at: null,
    finished_at: at,
    complete: false,
  };
  await openCommandHandler(log).execute(run, streamName('run', team, run_id), context, command);
  return { run_id, submission_id, result_ids: facts.map(({ result_id }) => result_id) };
}

async function appendItems(
  log: EventLog,
  stream: StreamName,
  facts: readonly Submitted[],
  meta: EventMeta,
): Promise<void> {
  for (const [revision, event] of chunkEvents(stream, facts, meta).entries())
    await log.append(stream, revision === 0 ? 'none' : revision - 1, [event]);
}

/** All events of a stream. */
export async function eventsOf(log: StreamReader, stream: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of streamPages(log, stream)) events.push(...page);
  return events;
}

/**
 * Waits until the condition holds. Gives up after the limit, and not before it has looked many times: a process that
 * was held up for as long finds every timer due at once when it goes on.
 * @throws after the limit.
 */
export async function eventually(
  what: string,
  condition: () => Promise<boolean> | boolean,
  limitMs = 60_000,
): Promise<void> {
  const end = Date.now() + limitMs;
  for (let looks = 0; !(await condition()); looks += 1) {
    if (Date.now() > end && looks > 1_000) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function fault(message: string): never {
  throw new Error(message);
}
