/**
 * The payloads of messages.
 *
 * Takes: messages of the outbox. Gives: the same messages, in order, with their bodies: `{ type, timestamp, data }` of
 * up to 20,000 bytes. A body is rendered from the streams of the log up to the message's event, so it is the same bytes
 * whenever and wherever it is rendered, and a message without a target needs no stored body. If a body is too large, it
 * loses `metadata` and says so.
 */
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { RunCounts } from '../../domain/counts.js';
import {
  streamName,
  type Instant,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../../domain/event.js';
import type { Decider } from '../../domain/decider.js';
import type { Environment } from '../../domain/environment.js';
import type { EventData, EventType, LedgerEvent } from '../../domain/events.js';
import { eventPositionOf, type RenderedMessage } from '../../domain/messages/message.js';
import type { MessageView, PayloadRecords } from '../../domain/messages/message-spec.js';
import { renderData, type MessageType } from '../../domain/messages/message-types.js';
import { project, type Project, type ProjectRecord } from '../../domain/project.js';
import { result, type PresentResult, type Result, type ResultRecord } from '../../domain/results/result.js';
import { isSubmitting, run, type Run, type RunRecord } from '../../domain/runs/run.js';
import { hiddenText } from '../../domain/redaction/mask.js';
import { limits } from '../../limits.js';
import type { Contents } from '../../ports/contents.js';
import { NO_TITLE, withoutContents, type Titles } from '../../domain/contents.js';
import { openStateAsOf, type ForgettingLog } from './state-as-of.js';

/** @throws AppError `log_unavailable` */
export type Render = (messages: readonly MessageDocument[], view?: MessageView) => Promise<RenderedMessage[]>;

const plain: MessageView = { per: 'test', filter: null };

const RENDERS_AT_ONCE = 64;

/**
 * `titles`: of groups of failures. `marked`: results whose contents were forgotten. `unmasked`: the texts of a team that no body
 * says while their places are searched for.
 */
export type RenderedContents = {
  titles: Titles;
  marked: Contents['marked'];
  unmasked?: (team: string) => Promise<readonly string[]>;
};

export function openRenderer(log: ForgettingLog, contents: RenderedContents): Render {
  const records = openRecords(log);
  return async (messages, view = plain) => {
    const call = {};
    const rendered: RenderedMessage[] = [];
    await forEachConcurrent([...messages.entries()], RENDERS_AT_ONCE, async ([n, message]) => {
      const { type, team_id, at, about } = message;
      const own = 'result_id' in about ? about.result_id : null;
      const asOf = { team: team_id, at: eventPositionOf(message.place), call, own };
      const data = await renderData(type, about, recordsAsOf(records, contents, asOf), view);
      const texts = (await contents.unmasked?.(team_id)) ?? [];
      const { place, event_id, subject, targets } = message;
      const body = texts.reduce(hiddenText, payloadOf(type, at, data));
      // Written out: copies by rest and spread took more time than the JSON of the payload (docs/decisions/033).
      rendered[n] = { place, event_id, type, team_id, subject, at, targets, body };
    });
    return rendered;
  };
}

// --- The records of a payload ---------------------------------------------------------------------------------------

/**
 * The records as receivers were promised them, whatever the answers of the API show: a resend must be the same bytes.
 */
function recordsAsOf(
  records: RecordsAsOf,
  { titles, marked }: RenderedContents,
  { team, at, call, own }: { team: string; at: Position; call: object; own: string | null },
): PayloadRecords {
  const stateOfRun = (id: string) => records.run(streamName('run', team, id), at, call);
  const stateOfResult = (id: string) => records.result(streamName('result', team, id), at, call);
  return {
    async title(stored) {
      if (own !== null && (await marked([own])).has(own)) return NO_TITLE;
      return (await titles([stored])).get(stored) ?? NO_TITLE;
    },
    knownFailure: (test) => records.knownFailure(streamName('known', team, test), at, call),
    async project(id) {
      const found = await records.project(streamName('project', team, id), at, call);
      return found === null ? null : projectPayload(found);
    },
    async run(id, counts) {
      const found = await stateOfRun(id);
      return found === null ? null : runPayload(found, counts);
    },
    async result(id) {
      const found = await stateOfResult(id);
      if (found === null) return null;
      const { test_run_id, claim } = found;
      const [itsRun, retry] = await Promise.all([
        test_run_id === null ? null : stateOfRun(test_run_id),
        claim === null ? null : stateOfResult(claim.by),
      ]);
      // The claim supersedes the result once the retry itself exists.
      const superseded_by = retry === null ? null : claim!.by;
      // The state may have been read before the contents were forgotten.
      const shown = (await marked([id])).has(id) ? withoutContents(found) : found;
      return resultPayload(shown, superseded_by, itsRun?.label ?? null);
    },
  };
}

function projectPayload({ project_id, name, description, status, created_at }: ProjectRecord) {
  return { project_id, name, description, status, created_at };
}

function runPayload(record: RunRecord, { counts, count_snapshot }: RunCounts) {
  const { test_run_id, project_id, label, status, metadata } = record;
  const { started_at, finished_at, created_at, updated_at } = record;
  return {
    test_run_id,
    project_id,
    label,
    status,
    metadata,
    started_at,
    finished_at,
    created_at,
    updated_at,
    counts,
    count_snapshot,
  };
}

function resultPayload(
  record: Omit<ResultRecord, 'retry_of'>,
  superseded_by: string | null,
  test_run_label: string | null,
) {
  const { test_result_id, project_id, test_run_id, test_name, status, error_message, metadata } = record;
  const { started_at, finished_at, execution_time_ms } = record;
  const { attempt, created_at, updated_at } = record;
  return {
    test_result_id,
    project_id,
    test_run_id,
    test_name,
    status,
    error_message,
    metadata,
    started_at,
    finished_at,
    execution_time_ms,
    test_run_label,
    attempt,
    superseded_by,
    created_at,
    updated_at,
  };
}

// --- The states as of a position ------------------------------------------------------------------------------------

/** The records at a position of the log; null if they did not exist then. */
type RecordsAsOf = {
  result(stream: StreamName, at: Position, call: object): Promise<PresentResult | null>;
  run(stream: StreamName, at: Position, call: object): Promise<RunRecord | null>;
  project(stream: StreamName, at: Position, call: object): Promise<ProjectRecord | null>;
  knownFailure(stream: StreamName, at: Position, call: object): Promise<KnownFailurePayload | null>;
};

/** `environment` null: it is known in all of them. `actor`: the id of who set it, as events have it. */
type KnownFailurePayload = {
  reason: string;
  branch: string | null;
  environment: Environment | null;
  expires_at: Instant;
  set_at: Instant;
  actor: string;
};

/** The end of one leaves it as it was: its message still says which it was. */
function lastKnownFailure(
  state: KnownFailurePayload | null,
  { type, data, meta }: RecordedEvent,
): KnownFailurePayload | null {
  if (type !== 'KnownFailureSet') return state;
  const { reason, branch, environment = null, expires_at } = data as EventData['KnownFailureSet'];
  return { reason, branch, environment, expires_at, set_at: meta.at, actor: meta.actor };
}

const RESULTS_BYTES = 8 * 1024 * 1024;
const RUNS_BYTES = 8 * 1024 * 1024;
const PROJECTS_BYTES = 1024 * 1024;
const KNOWN_BYTES = 1024 * 1024;

function openRecords(log: ForgettingLog): RecordsAsOf {
  const results = openStateAsOf<Result>(log, foldOf(result), RESULTS_BYTES);
  const needsNext = (state: Run) => state.life === 'present' && isSubmitting(state);
  const runs = openStateAsOf<Run>(log, { ...foldOf(run), needsNext }, RUNS_BYTES);
  const projects = openStateAsOf<Project>(log, foldOf(project), PROJECTS_BYTES);
  const known = openStateAsOf(log, { initial: null, evolve: lastKnownFailure }, KNOWN_BYTES);
  const present = async <S extends { life: string }>(found: Promise<S>) => {
    const state = await found;
    return state.life === 'present' ? (state as Extract<S, { life: 'present' }>) : null;
  };
  return {
    result: (...asked) => present(results(...asked)),
    run: (...asked) => present(runs(...asked)),
    project: (...asked) => present(projects(...asked)),
    knownFailure: known,
  };
}

function foldOf<S, C, T extends EventType>({ initial, evolve }: Decider<S, C, T>) {
  return { initial, evolve: (state: S, event: RecordedEvent) => evolve(state, event as LedgerEvent<T>) };
}

// --- The size of a payload ------------------------------------------------------------------------------------------

type PayloadData = Record<string, unknown>;

/** These lose their last ones where nothing else is left to omit. */
const lists = ['examples', 'failures', 'owners', 'by_owner'];

/**
 * The payload as JSON. If it is too large, it omits the `metadata` of its records, the largest first, and lists them.
 */
export function payloadOf(type: MessageType, timestamp: Instant, data: object): string {
  const whole = JSON.stringify({ type, timestamp, data });
  if (fits(whole)) return whole;
  const smaller: PayloadData = { ...data };
  const omitted: string[] = [];
  const text = () => JSON.stringify({ type, timestamp, data: { ...smaller, metadata_omitted: omitted } });
  for (const name of byMetadataSize(smaller)) {
    smaller[name] = { ...(smaller[name] as PayloadData), metadata: null };
    omitted.push(`/data/${name}/metadata`);
    if (fits(text())) break;
  }
  // Without any metadata and lists it always fits: the other fields are names and an error message of bounded length.
  for (const name of lists) {
    while (!fits(text()) && Array.isArray(smaller[name]) && smaller[name].length > 0) {
      smaller[name] = smaller[name].slice(0, -1);
    }
  }
  return text();
}

/** The names of the records with metadata, those with the largest first. */
function byMetadataSize(data: PayloadData): string[] {
  return Object.entries(data)
    .map(([name, record]) => ({ name, size: metadataSize(record) }))
    .filter(({ size }) => size > 0)
    .sort((one, other) => other.size - one.size)
    .map(({ name }) => name);
}

function metadataSize(record: unknown): number {
  if (typeof record !== 'object' || record === null) return 0;
  const { metadata } = record as { metadata?: unknown };
  return metadata == null ? 0 : byteLength(JSON.stringify(metadata));
}

function fits(text: string): boolean {
  // One unit of UTF-16 takes up to three bytes of UTF-8.
  return text.length * 3 <= limits.payloadBytes || byteLength(text) <= limits.payloadBytes;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
