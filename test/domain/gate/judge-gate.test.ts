import assert from 'node:assert/strict';
import {
  defaultGate,
  judgeGate,
  mostRemoved,
  type GateFacts,
  type GateReason,
  type GateSettings,
} from '../../../src/domain/gate/judge-gate.js';

const green: GateFacts = {
  new_failures: 0,
  failing: 0,
  known: 0,
  flaky: 0,
  removed: 0,
  baseline_tests: 100,
  tests: 100,
  empty: false,
  incomplete: false,
  report_failed: false,
};

type Case = [title: string, Partial<GateSettings>, Partial<GateFacts>, GateReason[]];

const cases: Case[] = [
  ['passes a run in which nothing is wrong', {}, {}, []],
  ['fails for a new failure', {}, { new_failures: 1, failing: 1 }, ['new_failures']],
  ['passes what also fails in the baseline', {}, { failing: 3 }, []],
  ['passes known failures', {}, { known: 50 }, []],
  ['passes flaky results', {}, { flaky: 5 }, []],
  ['any: fails for an old failure', { fail_on: 'any' }, { failing: 1 }, ['failures']],
  [
    'any: names a new failure as a failure',
    { fail_on: 'any' },
    { new_failures: 1, failing: 1 },
    ['failures'],
  ],
  ['any: passes known failures', { fail_on: 'any' }, { known: 1 }, []],
  ['any: passes flaky results', { fail_on: 'any' }, { flaky: 1 }, []],
  ['flaky: fails for a flaky result', { fail_on: 'flaky' }, { flaky: 1 }, ['flaky']],
  [
    'flaky: fails for a failure, as any does',
    { fail_on: 'flaky' },
    { failing: 1, flaky: 1 },
    ['failures', 'flaky'],
  ],
  ['none: ignores failures', { fail_on: 'none' }, { new_failures: 1, failing: 2, flaky: 3, known: 4 }, []],
  [
    'none: still counts tests',
    { fail_on: 'none', min_tests: 101, max_known: 0 },
    { known: 1, removed: 21, empty: true, incomplete: true },
    ['removed', 'min_tests', 'max_known', 'empty', 'incomplete'],
  ],
  ['default: 20 of 100 tests may be missing', {}, { removed: 20 }, []],
  ['default: 21 may not', {}, { removed: 21 }, ['removed']],
  ['default: 10 % of many tests may be missing', {}, { removed: 669, baseline_tests: 6_694 }, []],
  ['default: more may not', {}, { removed: 670, baseline_tests: 6_694 }, ['removed']],
  ['max_removed: 0 takes no loss', { max_removed: 0 }, { removed: 1 }, ['removed']],
  ['max_removed: a number is a number', { max_removed: 30 }, { removed: 30 }, []],
  ['max_removed: a share is rounded down', { max_removed: '5%' }, { removed: 5, baseline_tests: 119 }, []],
  [
    'max_removed: more than a share fails',
    { max_removed: '5%' },
    { removed: 6, baseline_tests: 119 },
    ['removed'],
  ],
  ['max_removed: null takes any loss', { max_removed: null }, { removed: 100 }, []],
  ['has no limit of tests until it is set', {}, { tests: 1 }, []],
  ['min_tests: fails below it', { min_tests: 101 }, {}, ['min_tests']],
  ['min_tests: passes at it', { min_tests: 100 }, {}, []],
  ['max_known: fails above it', { max_known: 2 }, { known: 3 }, ['max_known']],
  ['max_known: passes at it', { max_known: 3 }, { known: 3 }, []],
  ['fails an empty run', {}, { tests: 0, empty: true }, ['empty']],
  ['fails an incomplete run', {}, { incomplete: true }, ['incomplete']],
  [
    'fails a run with failures that were not read',
    {},
    { incomplete: true, report_failed: true },
    ['incomplete', 'report_failed'],
  ],
  [
    'names every reason in their order',
    { min_tests: 1, max_known: 0 },
    {
      new_failures: 1,
      failing: 1,
      known: 1,
      removed: 100,
      tests: 0,
      empty: true,
      incomplete: true,
      report_failed: true,
    },
    ['new_failures', 'removed', 'min_tests', 'max_known', 'empty', 'incomplete', 'report_failed'],
  ],
];

describe('gate', () => {
  for (const [title, settings, facts, reasons] of cases) {
    it(title, () => {
      const judgement = judgeGate({ ...defaultGate, ...settings }, { ...green, ...facts });
      assert.deepEqual(judgement, { gate: reasons.length === 0 ? 'passed' : 'failed', reasons });
    });
  }

  it('has a limit of removed tests without a baseline too', () => {
    assert.equal(mostRemoved('default', null), 20);
    assert.equal(mostRemoved('10%', null), 0);
  });
});
