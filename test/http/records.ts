/** The exact fields of each record (docs/api.md, sections 2.1, 3 and 7). */
import { expect } from 'chai';

export const fields = {
  projectA: ['project_id', 'name', 'description', 'status', 'created_at'],
  projectB: ['id', 'name', 'created_at', 'description', 'default_branch', 'status'],
  run: [
    'test_run_id',
    'project_id',
    'run_key',
    'label',
    'status',
    'metadata',
    'started_at',
    'finished_at',
    'created_at',
    'updated_at',
    'counts',
    'count_snapshot',
  ],
  counts: ['total', 'pending', 'running', 'passed', 'failed', 'skipped', 'known_fail'],
  result: [
    'test_result_id',
    'project_id',
    'test_run_id',
    'test_name',
    'status',
    'error_message',
    'metadata',
    'started_at',
    'finished_at',
    'execution_time_ms',
    'test_run_label',
    'attempt',
    'superseded_by',
    'created_at',
    'updated_at',
  ],
  runB: [
    'id',
    'project_id',
    'run_key',
    'label',
    'status',
    'outcome',
    'test_count',
    'counts',
    'standing_counts',
    'duration_ms',
    'metadata',
    'branch',
    'commit',
    'pull_request',
    'ci_url',
    'actor',
    'tool',
    'created_at',
    'started_at',
    'finished_at',
    'gate',
    'new_failures',
    'shards',
  ],
  test: [
    'id',
    'project_id',
    'name',
    'state',
    'last_outcomes',
    'failure_rate',
    'last_result_at',
    'known_failure',
    'owner',
  ],
  runGroup: ['group', 'kind', 'title', 'results', 'tests', 'new', 'first_seen', 'last_seen', 'example'],
  projectGroup: ['group', 'kind', 'title', 'runs', 'results', 'first_seen', 'last_seen', 'example'],
  resultB: [
    'id',
    'project_id',
    'test_run_id',
    'name',
    'status',
    'duration_ms',
    'error_message',
    'metadata',
    'file',
    'line',
    'suite',
    'owner',
    'error',
    'attempt',
    'superseded_by',
    'started_at',
    'finished_at',
    'created_at',
    'failing_since',
    'last_passed',
    'also_fails_on',
    'group',
    'known',
  ],
  artifact: [
    'artifact_id',
    'test_result_id',
    'project_id',
    'label',
    'kind',
    'content_type',
    'size_bytes',
    'test_step',
    'metadata',
    'expires_at',
    'created_at',
  ],
  upload: ['upload_url', 'upload_method', 'upload_headers', 'upload_expires_at'],
  key: ['id', 'name', 'role', 'prefix', 'created_by', 'created_at', 'last_used_at', 'revoked_at'],
  webhook: ['id', 'url', 'events', 'enabled', 'disabled_reason', 'created_at', 'last_delivery'],
  newWebhook: ['id', 'url', 'events', 'enabled', 'disabled_reason', 'created_at', 'last_delivery', 'secret'],
  delivery: ['id', 'webhook_id', 'event_id', 'type', 'state', 'attempts', 'next_attempt_at'],
  newKey: ['id', 'name', 'role', 'created_at', 'key'],
  newTeam: ['id', 'name', 'created_at', 'key'],
  pagination: ['page', 'per_page', 'total', 'total_pages'],
} as const;

/** What a run and a result show of metadata in which nothing is understood. */
export const notUnderstood = {
  run: { branch: null, commit: null, pull_request: null, ci_url: null, actor: null, tool: null },
  result: { file: null, line: null, suite: null, owner: null, error: null },
  error: { type: null, message: null, stack: null, expected: null, actual: null, hook: null },
} as const;

/** Expects exactly the fields of this kind of record. */
export function expectRecord(record: unknown, kind: keyof typeof fields): void {
  expect(record)
    .to.be.an('object')
    .with.all.keys(...fields[kind]);
}

/** Expects the form of every instant (docs/api.md, section 1). */
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Expects a TypeID of this kind. */
export function idOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);
}

/** Counts in which every status that is not named is zero. */
export function countsOf(some: Partial<Record<(typeof fields.counts)[number], number>>): object {
  return { ...Object.fromEntries(fields.counts.map((name) => [name, 0])), ...some };
}

/** The pagination of a first page of 20, unless `more` says otherwise. */
export function pagination(total: number, more: object = {}): object {
  return { page: 1, per_page: 20, total, total_pages: Math.ceil(total / 20), ...more };
}
