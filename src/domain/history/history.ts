/** The history of one thing: its events in words, and what each changed (docs/api.md, section 13). */
import type { Decider, Happened } from '../decider.js';
import type { Instant, RecordedEvent } from '../event.js';
import type { EventType, ResultEvent, RunEvent } from '../events.js';
import { result, statusWords, type Result, type ResultRecord } from '../results/result.js';
import { run, type Run, type RunRecord } from '../runs/run.js';
import { runDescription } from '../runs/run-description.js';
import { eventIdOf } from '../test-history/test.js';
import { changesBetween, nothing, type Change, type Shown } from './changes.js';
import { resultSentence } from './result-sentence.js';
import { runSentence } from './run-sentence.js';
import { subjectOf, type Actor } from './words.js';

export type HistoryEntry = {
  /** As the replay shows it. */
  id: string;
  type: string;
  at: Instant;
  actor: string;
  text: string;
  changes: Change[];
  /** How many more keys of the metadata changed. Absent if there are none. */
  changes_left_out?: number;
};

/** A kind of thing that has a history. */
export type Kind<State, Types extends EventType> = {
  name: string;
  decider: Pick<Decider<State, never, Types>, 'initial' | 'evolve'>;
  sentence(event: Happened<Types>, who: string, before: State): string;
  /** The fields that a history compares. */
  shown(state: State): Shown;
};

export const runs: Kind<Run, RunEvent> = {
  name: 'run',
  decider: run,
  sentence: runSentence,
  shown(state) {
    if (state.life !== 'present') return nothing;
    const { run_key, status, started_at, finished_at, baseline = null } = state;
    // Like a word on the baseline: null until somebody pins it.
    const pinned = state.pinned === true || null;
    const { metadata, ...described } = runDescription(state);
    const times = { started_at, finished_at };
    const fields = { run_key, ...described, status: status.toLowerCase(), baseline, pinned, ...times };
    type Hidden = 'completions' | 'completed_by' | 'items' | 'calls' | 'unread' | 'redacted_at';
    return { fields: fields satisfies Compared<RunRecord, Hidden>, metadata };
  },
};

export const results: Kind<Result, ResultEvent> = {
  name: 'result',
  decider: result,
  sentence: resultSentence,
  shown(state) {
    if (state.life !== 'present') return nothing;
    const { test_name: name, status, execution_time_ms: duration_ms, error_message } = state;
    const { attempt, started_at, finished_at, claim, artifacts = [], metadata } = state;
    const times = { started_at, finished_at, duration_ms };
    const superseded_by = claim?.by ?? null;
    const files = artifacts.map(({ artifact_id, stored_as }) => [
      `artifacts.${artifact_id}`,
      stored_as === null ? 'announced' : 'uploaded',
    ]);
    const own = { name, status: statusWords[status], error_message, attempt, superseded_by, ...times };
    const fields = own satisfies Compared<ResultRecord, 'test_name' | 'execution_time_ms' | 'retry_of'>;
    return { fields: { ...fields, ...Object.fromEntries(files) }, metadata };
  },
};

/** The fields that never change, or that an event has itself. */
type Fixed = 'test_run_id' | 'test_result_id' | 'project_id' | 'created_at' | 'updated_at' | 'metadata';

/**
 * Every field of a record but `Others`. A new field that is not compared does not compile: the history would say that it
 * changed, and not how.
 */
type Compared<Thing, Others extends keyof Thing> = Record<Exclude<keyof Thing, Fixed | Others>, unknown>;

/**
 * `event` has changed the thing from `before` to `after`. `name`: that of the actor, null if it is not known.
 */
export function historyEntry<State, Types extends EventType>(
  { sentence, shown }: Kind<State, Types>,
  event: RecordedEvent & Happened<Types>,
  { before, after, name }: { before: State; after: State; name: string | null },
): HistoryEntry {
  const { id, type, meta } = event;
  const actor: Actor = { id: meta.actor, name };
  const { changes, left_out } = changesBetween(shown(before), shown(after));
  return {
    id: eventIdOf(id),
    type,
    at: meta.at,
    actor: actor.name ?? actor.id,
    text: sentence(event, subjectOf(actor), before),
    changes,
    ...(left_out > 0 && { changes_left_out: left_out }),
  };
}
