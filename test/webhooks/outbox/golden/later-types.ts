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
const nothing = { new: 0, fixed: 0, flaky: 0, known_ending: 0 };

export const goldenOfLaterTypes = {
  'test.broken': { message: message(6, 6, { type: 'test.broken', about: ofTest }), body: '' },
  'test.stabilised': { message: message(6, 7, { type: 'test.stabilised', about: ofTest }), body: '' },
  'known_failure.set': {
    message: message(7, 8, { type: 'known_failure.set', about: { ...ofKnownFailure, ended: null } }),
    body: '',
  },
  'known_failure.ended': {
    message: message(8, 9, { type: 'known_failure.ended', about: { ...ofKnownFailure, ended: 'requested' } }),
    body: '',
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
    body: '',
  },
  'group.gone': {
    message: message(6, 11, {
      type: 'group.gone',
      about: { kind: 'group_gone', ...ofRun, group, owner: 'checkout', known: false, new: false, tests: 2 },
    }),
    body: '',
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
    body: '',
  },
  'run.incomplete': {
    message: message(6, 13, {
      type: 'run.incomplete',
      about: { kind: 'incomplete', ...ofRun, total: 3, missing: [2, 3] },
    }),
    body: '',
  },
  'main.red': { message: message(6, 14, { type: 'main.red', about: ofMain }), body: '' },
  'main.green': { message: message(6, 15, { type: 'main.green', about: ofMain }), body: '' },
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
            { owner: 'checkout', ...nothing, new: 2, known_ending: 1 },
          ],
        },
      },
    }),
    body: '',
  },
} satisfies Partial<Record<MessageType, Golden>>;
