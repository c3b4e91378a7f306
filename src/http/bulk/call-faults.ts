/** What the schema of a submission cannot say of it as a call: its run key, and what needs one. */
import type { FieldCode, FieldError } from '../../errors.js';
import type { Requests } from '../requests.generated.js';

/** Without results, a submission can complete a run with a key, or say that a shard had no tests. */
export function emptyListFaults(value: unknown): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { run_key, complete, shard, results } = value as Record<string, unknown>;
  if (typeof run_key === 'string' && complete === true) return [];
  if (results === undefined) return [{ pointer: '/results', code: 'required', detail: 'is required' }];
  // More shards than tests is common. Without this call, the run would stay running for ever.
  if (!Array.isArray(results) || (typeof shard === 'object' && shard !== null)) return [];
  return [{ pointer: '/results', code: 'too_few', detail: 'must have at least 1 item' }];
}

/** What the schema cannot say of a run key and of what needs one. */
export function callFaults({
  run_key = null,
  shard = null,
  complete,
  submission_key,
}: Requests['SubmitRun']): FieldError[] {
  const faults: FieldError[] = [];
  const refuse = (pointer: string, code: FieldCode, detail: string) => faults.push({ pointer, code, detail });
  if (run_key === null && shard !== null) refuse('/shard', 'needs_key', 'needs a run_key');
  if (run_key === null && complete !== undefined) refuse('/complete', 'needs_key', 'needs a run_key');
  if (run_key === null && (submission_key ?? null) !== null)
    refuse('/submission_key', 'needs_key', 'needs a run_key');
  if (shard !== null && shard.index > shard.total) {
    refuse('/shard/index', 'too_large', 'must be at most the total');
  }
  if (shard !== null && complete === true) {
    const detail = 'must be false: a run with shards is completed when all of them are there';
    refuse('/complete', 'not_allowed', detail);
  }
  return faults;
}
