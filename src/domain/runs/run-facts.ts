/** What happens to a run that is there, whoever asks for it. */
import { isDeepStrictEqual } from 'node:util';
import { differences } from '../decider.js';
import type { Instant } from '../event.js';
import type { EventData, Fact, RunEvent } from '../events.js';
import { latest } from '../instant.js';
import type { RunRecord } from './run-record.js';
import type { RunDescription } from './run-description.js';

export type RunIds = { run_id: string; project_id: string };

export function describe(
  present: RunRecord,
  wanted: Partial<RunDescription>,
  word: Pick<EventData['RunDescribed'], 'baseline' | 'pinned'> = {},
): Fact<RunEvent>[] {
  const changed = { ...differences<Partial<RunDescription>>(present, wanted, isDeepStrictEqual), ...word };
  if (Object.keys(changed).length === 0) return [];
  return [{ type: 'RunDescribed', data: { ...idsOf(present), ...changed } }];
}

export function complete(
  present: RunRecord,
  at: Instant,
  reason: EventData['RunCompleted']['reason'],
): Fact<RunEvent> {
  const completion = present.completions + 1;
  // The client's clock may be ahead of ours: no run ends before it starts.
  const finished_at = latest(present.started_at ?? at, at);
  return { type: 'RunCompleted', data: { ...idsOf(present), finished_at, completion, reason } };
}

export function idsOf({ test_run_id: run_id, project_id }: RunRecord): RunIds {
  return { run_id, project_id };
}
