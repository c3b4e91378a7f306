/** The redaction of a run. */
import { isDeepStrictEqual } from 'node:util';
import { differences } from '../decider.js';
import type { Instant } from '../event.js';
import type { Fact } from '../events.js';
import { redactedDescription } from '../redaction/mask.js';
import { descriptionFields, type RunDescription } from './run-description.js';

/** `fields`: what there is to redact beside the description. Changes nothing where there is nothing since the last time. */
export type RedactRun = {
  type: 'RedactRun';
  reason: string;
  fields: readonly ('results' | 'artifacts')[];
};

type Present = RunDescription & { test_run_id: string; project_id: string; redacted_at?: Instant };

export function decideRedaction(
  present: Present,
  { reason, fields: others }: RedactRun,
): Fact<'RunRedacted'>[] {
  const left = differences<Partial<RunDescription>>(present, redactedDescription(present), isDeepStrictEqual);
  const fields = [...descriptionFields.filter((name) => left[name] !== undefined), ...others];
  if (present.redacted_at !== undefined && fields.length === 0) return [];
  const { test_run_id: run_id, project_id } = present;
  return [{ type: 'RunRedacted', data: { run_id, project_id, reason, fields } }];
}
