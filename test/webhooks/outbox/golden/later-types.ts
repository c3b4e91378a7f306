import type { MessageType } from '../../../../src/domain/messages/message-types.js';
import { atOf, counts, failed, message, project_id, run_id, shared, test_id, type Golden } from './story.js';

const place = { branch: 'main', environment: 'os=linux' };
const ofRun = { ...shared, place, counts: { counts, count_snapshot: { ...counts, at: atOf(5) } } };
const group = { id: 'group_01j00000000000000000000009', kind: 'message', title: 'card refused: é' } as const;
const test = { id: test_id, name: 'pays by card', project_id };
const ofTest = {
  kind: 'test',
  test,
  environment: { os: 'linux' },
  result_id: failed,
  run_id,
  place,
  owner: 'checkout',
  known: false,
} as const;
const ofKnownFailure = {
  kind: 'known_failure',
  test,
  owner: null,
  branch: 'main',
  environment: 'os=linux',
} as const;
const ofMain = {
  kind: 'main',
  ...ofRun,
  tool: 'playwright',
  red: { run_id, at: atOf(6), failures: [{ owner: 'checkout', known: false, new: true }] },
} as const;
const nothing = { new: 0, fixed: 0, flaky: 0, known_ending: 0, lost_ms: 0 };

export const goldenOfLaterTypes = {
  'test.broken': {
    message: message(6, 6, { type: 'test.broken', about: ofTest }),
    body: '{"type":"test.broken","timestamp":"2026-11-21T12:00:00.006Z","data":{"test":{"id":"test_01j00000000000000000000006","name":"pays by card","project_id":"project_01j00000000000000000000002"},"environment":{"os":"linux"},"result_id":"result_01j00000000000000000000004","run_id":"run_01j00000000000000000000003","project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'test.stabilised': {
    message: message(6, 7, { type: 'test.stabilised', about: ofTest }),
    body: '{"type":"test.stabilised","timestamp":"2026-11-21T12:00:00.006Z","data":{"test":{"id":"test_01j00000000000000000000006","name":"pays by card","project_id":"project_01j00000000000000000000002"},"environment":{"os":"linux"},"result_id":"result_01j00000000000000000000004","run_id":"run_01j00000000000000000000003","project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'known_failure.set': {
    message: message(7, 8, { type: 'known_failure.set', about: { ...ofKnownFailure, ended: null } }),
    body: '{"type":"known_failure.set","timestamp":"2026-11-21T12:00:00.007Z","data":{"test":{"id":"test_01j00000000000000000000006","name":"pays by card","project_id":"project_01j00000000000000000000002"},"known_failure":{"reason":"the card of the tests is over","branch":"main","environment":{"os":"linux"},"expires_at":"2026-12-01T00:00:00.000Z","set_at":"2026-11-21T12:00:00.007Z","actor":"key_1"},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'known_failure.ended': {
    message: message(8, 9, { type: 'known_failure.ended', about: { ...ofKnownFailure, ended: 'requested' } }),
    body: '{"type":"known_failure.ended","timestamp":"2026-11-21T12:00:00.008Z","data":{"test":{"id":"test_01j00000000000000000000006","name":"pays by card","project_id":"project_01j00000000000000000000002"},"known_failure":{"reason":"the card of the tests is over","branch":"main","environment":{"os":"linux"},"expires_at":"2026-12-01T00:00:00.000Z","set_at":"2026-11-21T12:00:00.007Z","actor":"key_1"},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"ended":"requested"}}',
  },
  'group.new': {
    message: message(4, 10, {
      type: 'group.new',
      about: {
        kind: 'group_new',
        ...shared,
        place,
        counts: { counts, count_snapshot: null },
        result_id: failed,
        owner: 'checkout',
        known: false,
        group,
      },
    }),
    body: '{"type":"group.new","timestamp":"2026-11-21T12:00:00.004Z","data":{"group":"group_01j00000000000000000000009","kind":"message","title":"card refused: é","known":false,"owner":"checkout","result":{"test_result_id":"result_01j00000000000000000000004","project_id":"project_01j00000000000000000000002","test_run_id":"run_01j00000000000000000000003","test_name":"pays by card","status":"Failed","error_message":"card refused: é \\"1 < 2\\"","metadata":{"browser":"firefox"},"started_at":"2026-11-21T12:00:00.001Z","finished_at":"2026-11-21T12:00:00.018Z","execution_time_ms":17,"test_run_label":"nightly","attempt":1,"superseded_by":null,"created_at":"2026-11-21T12:00:00.003Z","updated_at":"2026-11-21T12:00:00.004Z"},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Pending","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":null,"created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.002Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":null},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'group.gone': {
    message: message(6, 11, {
      type: 'group.gone',
      about: { kind: 'group_gone', ...ofRun, group, owner: 'checkout', known: false, new: false, tests: 2 },
    }),
    body: '{"type":"group.gone","timestamp":"2026-11-21T12:00:00.006Z","data":{"group":"group_01j00000000000000000000009","kind":"message","title":"card refused: é","tests":2,"owner":"checkout","run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'group.back': {
    message: message(6, 12, {
      type: 'group.back',
      about: {
        kind: 'group',
        ...ofRun,
        gone_at: atOf(2),
        failed: {
          group,
          new: true,
          parts: [{ owner: 'checkout', known: false, tests: 1, results: 1, examples: [failed] }],
        },
      },
    }),
    body: '{"type":"group.back","timestamp":"2026-11-21T12:00:00.006Z","data":{"group":"group_01j00000000000000000000009","kind":"message","title":"card refused: é","tests":1,"results":1,"new":true,"owners":["checkout"],"examples":[{"test_result_id":"result_01j00000000000000000000004","test_name":"pays by card","status":"Failed","error_message":"card refused: é \\"1 < 2\\"","attempt":1}],"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"gone_at":"2026-11-21T12:00:00.002Z"}}',
  },
  'run.incomplete': {
    message: message(6, 13, {
      type: 'run.incomplete',
      about: { kind: 'incomplete', ...ofRun, total: 3, missing: [2, 3] },
    }),
    body: '{"type":"run.incomplete","timestamp":"2026-11-21T12:00:00.006Z","data":{"shards":{"total":3,"missing":[2,3]},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'main.red': {
    message: message(6, 14, { type: 'main.red', about: ofMain }),
    body: '{"type":"main.red","timestamp":"2026-11-21T12:00:00.006Z","data":{"branch":"main","tool":"playwright","environment":{"os":"linux"},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
  'main.green': {
    message: message(6, 15, { type: 'main.green', about: ofMain }),
    body: '{"type":"main.green","timestamp":"2026-11-21T12:00:00.006Z","data":{"branch":"main","tool":"playwright","environment":{"os":"linux"},"run":{"test_run_id":"run_01j00000000000000000000003","project_id":"project_01j00000000000000000000002","label":"nightly","status":"Completed","metadata":{"branch":"main","commit":"abc"},"started_at":null,"finished_at":"2026-11-21T12:00:00.020Z","created_at":"2026-11-21T12:00:00.002Z","updated_at":"2026-11-21T12:00:00.006Z","counts":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":{"total":2,"pending":0,"running":0,"passed":1,"failed":1,"skipped":0,"known_fail":0,"at":"2026-11-21T12:00:00.005Z"}},"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"},"red_since":{"run_id":"run_01j00000000000000000000003","at":"2026-11-21T12:00:00.006Z"}}}',
  },
  'digest.daily': {
    message: message(6, 16, {
      type: 'digest.daily',
      about: {
        kind: 'day',
        project_id,
        numbers: {
          day: '2026-11-20',
          due_at: '2026-11-21T08:00:00.000Z',
          runs: 7,
          lost_ms: 61_000,
          parts: [
            { owner: null, ...nothing, flaky: 1 },
            { owner: 'checkout', ...nothing, new: 2, known_ending: 1, lost_ms: 9_000 },
          ],
        },
      },
    }),
    body: '{"type":"digest.daily","timestamp":"2026-11-21T12:00:00.006Z","data":{"day":"2026-11-20","new":2,"fixed":0,"flaky":1,"known_ending":1,"lost_ms":61000,"runs":7,"by_owner":[{"owner":"checkout","new":2,"fixed":0,"flaky":0,"known_ending":1,"lost_ms":9000}],"project":{"project_id":"project_01j00000000000000000000002","name":"shop","description":null,"status":"Active","created_at":"2026-11-21T12:00:00.001Z"}}}',
  },
} satisfies Partial<Record<MessageType, Golden>>;
