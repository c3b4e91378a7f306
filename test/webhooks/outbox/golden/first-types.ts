import type { MessageType } from '../../../../src/domain/messages/message-types.js';
import {
  atOf,
  counts,
  failed,
  message,
  passed,
  project_id,
  run_id,
  shared,
  test_id,
  webhook_id,
  type Golden,
} from './story.js';

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

export const goldenOfFirstTypes = {
  'test.failed': {
    message: message(4, 0, {
      type: 'test.failed',
      about: {
        kind: 'result',
        ...shared,
        result_id: failed,
        counts: { counts: { ...counts, total: 1, passed: 0 }, count_snapshot: null },
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
        known: false,
        result_id: passed,
        run_id,
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
} satisfies Partial<Record<MessageType, Golden>>;
