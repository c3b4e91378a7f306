/** Fixed bodies: a later field in an HTTP answer must not change the bytes that a webhook was promised. */
import { plainContents } from '../../plain-contents.js';
import { partitionOf } from '../../../src/domain/partition.js';
import { expect } from 'chai';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { openRenderer } from '../../../src/webhooks/outbox/payload.js';
import { streamName, type Category } from '../../../src/domain/event.js';
import type { Fact, LedgerEvent } from '../../../src/domain/events.js';
import { outboxPosition } from '../../../src/domain/messages/message.js';
import type { MessageType } from '../../../src/domain/messages/message-types.js';
import { openMemoryLog } from './memory-log.js';

const team = 'team_01j00000000000000000000001';
const project_id = 'project_01j00000000000000000000002';
const run_id = 'run_01j00000000000000000000003';
const [failed, passed] = ['result_01j00000000000000000000004', 'result_01j00000000000000000000005'] as const;
const test_id = 'test_01j00000000000000000000006';
const webhook_id = 'webhook_01j00000000000000000000007';
const event_id = 'event_01j00000000000000000000008';

const positionOf = (n: number) => String(n).padStart(20, '0');
const atOf = (n: number) => `2026-11-21T12:00:00.${String(n).padStart(3, '0')}Z`;

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

/** A project, a run in it, a failure, then a pass of the same test; then the run is completed. */
const events: LedgerEvent[] = [
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
];
const counts = { total: 2, pending: 0, running: 0, passed: 1, failed: 1, skipped: 0, known_fail: 0 };
const atFailure = { ...counts, total: 1, passed: 0 };

function message(n: number, order: number, more: Pick<MessageDocument, 'type' | 'about'>): MessageDocument {
  const place = outboxPosition(positionOf(n), order);
  const addressed = { targets: [webhook_id], outgoing: partitionOf(team) };
  return { place, event_id, team_id: team, subject: test_id, at: atOf(n), ...addressed, ...more };
}

const shared = { run_id, project_id };

/** The exact bytes that were promised for each type. A change of one of these strings breaks receivers. */
const noKinds = {
  new_failures: 0,
  still_failing: 0,
  fixed: 0,
  flaky: 0,
  known: 0,
  added: 0,
  removed: 0,
  renamed_maybe: 0,
  slower: 0,
};

const golden: Record<MessageType, { message: MessageDocument; body: string }> = {
  'test.failed': {
    message: message(4, 0, {
      type: 'test.failed',
      about: {
        kind: 'result',
        ...shared,
        result_id: failed,
        counts: { counts: atFailure, count_snapshot: null },
        group: { id: 'group_01j00000000000000000000009', kind: 'message', title: 'card refused: é' },
        known: true,
        new: true,
        place: { branch: 'main', environment: '' },
        owner: null,
      },
    }),
    body: '{"type":"test.failed","timestamp":"2026-11-21T12:00:00.004Z","data":{"result":{"test_result_id":"result_01j00000000000000000000004","project_id":"project_01j00000000000000000000002","test_run_id":"run_01j00000000000000000000003","test_name":"pays by card","status":"Failed","error_message":"card refused: é \\"1 < 2\\"","metadata":{"browser":"firefox"},"started_at":"2026-11-21T12:00:00.001Z","finished_at":"2026-11-21T12:00:00.018Z","execution_time_ms":17,"test_run_label":"nightly","attempt":1,"superseded_by":null,"created_at":"2026-11-21T12:00:00.003Z","updated_at":"2026-11-21T12:00:00.004Z"},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Pending","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":null,"created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.002Z","counts":{"total":1,"pending":0,"running":0,"passed":0,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":null},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"group":{"id":"group_01j00000000000000000000009","kind":"message","title":"card refused: é"},"known":true}}',
  },
  'test.recovered': {
    message: message(5, 1, {
      type: 'test.recovered',
      about: {
        kind: 'result',
        ...shared,
        result_id: passed,
        counts: { counts, count_snapshot: null },
        environment: null,
        failure: failed,
        known: false,
        new: true,
        place: { branch: 'main', environment: '' },
        owner: null,
      },
    }),
    body: '{"type":"test.recovered","timestamp":"2026-11-21T12:00:00.005Z","data":{"result":{"test_result_id":"result_01j00000000000000000000005","project_id":"project_01j00000000000000000000002","test_run_id":"run_01j00000000000000000000003","test_name":"pays by card","status":"Passed","error_message":null,"metadata":null,"started_at":"2026-11-21T12:00:00.001Z","finished_at":null,"execution_time_ms":null,"test_run_label":"nightly","attempt":1,"superseded_by":null,"created_at":"2026-11-21T12:00:00.005Z","updated_at":"2026-11-21T12:00:00.005Z"},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Pending","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":null,"created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.002Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":null},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"environment":null,"failure":{"test_result_id":"result_01j00000000000000000000004","project_id":"project_01j00000000000000000000002","test_run_id":"run_01j00000000000000000000003","test_name":"pays by card","status":"Failed","error_message":"card refused: é \\"1 < 2\\"","metadata":{"browser":"firefox"},"started_at":"2026-11-21T12:00:00.001Z","finished_at":"2026-11-21T12:00:00.018Z","execution_time_ms":17,"test_run_label":"nightly","attempt":1,"superseded_by":null,"created_at":"2026-11-21T12:00:00.003Z","updated_at":"2026-11-21T12:00:00.004Z"}}}',
  },
  'test.flaky': {
    message: message(5, 2, {
      type: 'test.flaky',
      about: {
        kind: 'test',
        test: { id: test_id, name: 'pays by card', project_id },
        environment: { os: 'linux' },
        rule: 'same_commit',
        evidence: [failed, passed],
        place: { branch: 'main', environment: '' },
        owner: null,
      },
    }),
    body: '{"type":"test.flaky","timestamp":"2026-11-21T12:00:00.005Z","data":{"test":{"id":"test_01j00000000000000000000006","name":"pays by card","project_id":"project_01j00000000000000000000002"},"environment":{"os":"linux"},"rule":"same_commit","evidence":["result_01j00000000000000000000004","result_01j00000000000000000000005"],"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'run.completed': {
    message: message(6, 3, {
      type: 'run.completed',
      about: {
        kind: 'run',
        ...shared,
        completion: 1,
        place: { branch: 'main', environment: '' },
        failures: [],
        counts: { counts, count_snapshot: { ...counts, at: atOf(5) } },
        verdict: {
          gate: 'failed',
          reasons: ['new_failures'],
          comparison: {
            baseline: null,
            passed_over: null,
            counts: { ...noKinds, new_failures: 1 },
            tests: 2,
            baseline_tests: null,
            removed_files: 0,
          },
        },
      },
    }),
    body: '{"type":"run.completed","timestamp":"2026-11-21T12:00:00.006Z","data":{"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"completion":1,"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"gate":"failed","gate_reasons":["new_failures"],"comparison":{"baseline":null,"passed_over":null,"counts":{"new_failures":1,"still_failing":0,"fixed":0,"flaky":0,"known":0,"added":0,"removed":0,"renamed_maybe":0,"slower":0},"tests":2,"baseline_tests":null,"removed_files":0}}}',
  },
  'group.failed': {
    message: message(6, 5, {
      type: 'group.failed',
      about: {
        kind: 'group',
        ...shared,
        counts: { counts, count_snapshot: { ...counts, at: atOf(5) } },
        place: { branch: 'main', environment: '' },
        failed: {
          group: { id: 'group_01j00000000000000000000009', kind: 'message', title: 'card refused: é' },
          new: true,
          parts: [{ owner: 'checkout', known: false, tests: 1, results: 1, examples: [failed] }],
        },
      },
    }),
    body: '{"type":"group.failed","timestamp":"2026-11-21T12:00:00.006Z","data":{"group":"group_01j00000000000000000000009","kind":"message","title":"card refused: é","tests":1,"results":1,"new":true,"owners":["checkout"],"examples":[{"test_result_id":"result_01j00000000000000000000004","test_name":"pays by card","status":"Failed","error_message":"card refused: é \\"1 < 2\\"","attempt":1}],"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'webhook.ping': {
    message: message(7, 4, { type: 'webhook.ping', about: { kind: 'webhook', webhook_id } }),
    body: '{"type":"webhook.ping","timestamp":"2026-11-21T12:00:00.007Z","data":{"webhook_id":"webhook_01j00000000000000000000007"}}',
  },
};

describe('the body of a message', () => {
  for (const [type, { message: document, body }] of Object.entries(golden)) {
    it(`of type ${type} has the promised bytes`, async () => {
      const [rendered] = await openRenderer(openMemoryLog(events), plainContents)([document]);
      expect(rendered!.body).to.equal(body);
    });
  }
});
