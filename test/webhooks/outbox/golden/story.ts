/** The story that the golden bodies tell of. */
import { partitionOf } from '../../../../src/domain/partition.js';
import type { MessageDocument } from '../../../../projections/outbox/messages.js';
import { streamName, type Category } from '../../../../src/domain/event.js';
import type { Fact, LedgerEvent } from '../../../../src/domain/events.js';
import { outboxPosition } from '../../../../src/domain/messages/message.js';

export const team = 'team_01j00000000000000000000001';
export const project_id = 'project_01j00000000000000000000002';
export const run_id = 'run_01j00000000000000000000003';
export const [failed, passed] = [
  'result_01j00000000000000000000004',
  'result_01j00000000000000000000005',
] as const;
export const test_id = 'test_01j00000000000000000000006';
export const webhook_id = 'webhook_01j00000000000000000000007';
const event_id = 'event_01j00000000000000000000008';

export const positionOf = (n: number) => String(n).padStart(20, '0');
export const atOf = (n: number) => `2026-11-21T12:00:00.${String(n).padStart(3, '0')}Z`;

let count = 0;
const revisions = new Map<string, number>();

function event(category: Category, id: string, fact: Fact): LedgerEvent {
  count += 1;
  const stream = streamName(category, team, id);
  const revision = (revisions.get(stream) ?? -1) + 1;
  revisions.set(stream, revision);
  const at = atOf(count);
  const meta = { team_id: team, actor: 'key_1', at, correlation_id: 'c', causation_id: null };
  return { id: `e${count}`, version: 1, meta, stream, revision, position: positionOf(count), ...fact };
}

const run = { run_id, project_id };
const result = { project_id, run_id, test_name: 'pays by card' };
const created = { attempt: 1, retry_of: null, run_branch: 'main', run_commit: 'abc', started_at: atOf(1) };

/** A project, a run in it, a failure, then a pass of the same test; then the run is completed, and the failure is known. */
export const events: LedgerEvent[] = [
  event('project', project_id, {
    type: 'ProjectCreated',
    data: { project_id, name: 'shop', description: null, default_branch: 'main' },
  }),
  event('run', run_id, {
    type: 'RunCreated',
    data: { ...run, run_key: null, label: 'nightly', metadata: { branch: 'main', commit: 'abc' }, items: 0 },
  }),
  event('result', failed, {
    type: 'ResultCreated',
    data: {
      ...result,
      ...created,
      result_id: failed,
      status: 'Running',
      metadata: { browser: 'firefox' },
    },
  }),
  event('result', failed, {
    type: 'ResultFinished',
    data: {
      ...result,
      result_id: failed,
      previous_status: 'Running',
      status: 'Failed',
      error_message: 'card refused: é "1 < 2"',
      finished_at: atOf(18),
      execution_time_ms: 17,
    },
  }),
  event('result', passed, {
    type: 'ResultCreated',
    data: { ...result, ...created, result_id: passed, status: 'Passed', metadata: null },
  }),
  event('run', run_id, {
    type: 'RunCompleted',
    data: { ...run, completion: 1, finished_at: atOf(20), reason: 'requested' },
  }),
  event('known', test_id, {
    type: 'KnownFailureSet',
    data: {
      test_id,
      project_id,
      test_name: 'pays by card',
      reason: 'the card of the tests is over',
      branch: 'main',
      environment: { os: 'linux' },
      expires_at: '2026-12-01T00:00:00.000Z',
    },
  }),
];
export const counts = { total: 2, pending: 0, running: 0, passed: 1, failed: 1, skipped: 0, known_fail: 0 };

export function message(
  n: number,
  order: number,
  more: Pick<MessageDocument, 'type' | 'about'>,
): MessageDocument {
  const place = outboxPosition(positionOf(n), order);
  const addressed = { targets: [webhook_id], outgoing: partitionOf(team) };
  return { place, event_id, team_id: team, subject: test_id, at: atOf(n), ...addressed, ...more };
}

export const shared = { run_id, project_id };

export type Golden = { message: MessageDocument; body: string };
