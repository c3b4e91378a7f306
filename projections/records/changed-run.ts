/** The document of a run after one of its own events. */
import { noCounts } from '../../src/domain/counts.js';
import type { LedgerEvent, RunEvent } from '../../src/domain/events.js';
import { noCalls } from '../../src/domain/runs/run-calls.js';
import { blankRun, run, type Run } from '../../src/domain/runs/run.js';
import { understoodRun } from '../../src/domain/understood.js';
import { activity } from './run-counts.js';
import type { RunDocument } from './run-documents.js';

/** Null if the event is of an unknown run. */
export function changedRun(present: RunDocument | null, event: LedgerEvent<RunEvent>): RunDocument | null {
  const state: Run = present === null ? run.initial : { life: 'present', ...present, calls: noCalls };
  const after = run.evolve(state, event);
  if (after.life !== 'present') return null;
  const { life: _, calls: __, ...record } = after;
  const { at } = event.meta;
  const { branch, commit, pull_request, build, environment_key } = understoodRun(record.metadata);
  const former = { ...(present ?? newRun(event)) };
  // The record has it only while there is one.
  delete former.unread;
  return {
    ...former,
    ...record,
    branch,
    commit,
    pull_request,
    build,
    environment_key,
    ...activity({ created_at: record.created_at, active_at: present?.active_at ?? at }, at),
  };
}

/**
 * The run before its first event, with all fields: `changedRun` replaces them. `blankRun` comes first, because single
 * results of a run copy this document, and V8 takes long to copy an object that it keeps as a hash table: fields that are
 * spread behind others make it one (docs/decisions/033).
 */
function newRun({ position, meta }: LedgerEvent): RunDocument {
  return { ...newborn, team_id: meta.team_id, created_position: position };
}

/** Once: to add these fields one by one takes longer than all else of a new run. */
const newborn: RunDocument = {
  ...blankRun,
  team_id: '',
  created_position: '',
  counts: noCounts,
  standing: noCounts,
  outcome: null,
  count_snapshot: null,
  branch: null,
  commit: null,
  pull_request: null,
  build: null,
  environment_key: '',
  active_at: '',
};
