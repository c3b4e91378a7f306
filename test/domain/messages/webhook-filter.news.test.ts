import { expect } from 'chai';
import type { About } from '../../../src/domain/messages/about.js';
import { filledFilter, passes } from '../../../src/domain/messages/webhook-filter.js';
import { isSubscribed } from '../../../src/domain/messages/webhook.js';

const noCounts = {
  counts: { total: 0, pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 },
  count_snapshot: null,
};
const place = { branch: 'main', environment: 'os=linux' };
const ids = { run_id: 'run_1', project_id: 'project_1' };
const ofRun = { ...ids, counts: noCounts, place };
const group = { id: 'group_1', kind: 'message', title: 'no' } as const;
const failure = { owner: 'checkout', known: false, new: true };

const main = (...failures: (typeof failure)[]): About => ({
  kind: 'main',
  ...ofRun,
  tool: null,
  red: { run_id: 'run_1', at: '2026-11-21T12:00:00.000Z', failures },
});
const isNew = (more: object = {}): About => ({
  kind: 'group_new',
  ...ofRun,
  result_id: 'result_1',
  group,
  owner: 'checkout',
  known: false,
  ...more,
});
const gone = (more: object = {}): About => ({
  kind: 'group_gone',
  ...ofRun,
  group,
  tests: 1,
  ...failure,
  new: false,
  ...more,
});
const test = { id: 'test_1', name: 'pays', project_id: 'project_1' };
const broken = (more: object = {}): About => ({
  kind: 'test',
  test,
  environment: null,
  result_id: 'result_1',
  run_id: 'run_1',
  place,
  owner: 'checkout',
  known: false,
  ...more,
});
const knownFailure = (more: object = {}): About => ({
  kind: 'known_failure',
  test,
  owner: 'checkout',
  branch: null,
  environment: null,
  ended: null,
  ...more,
});
const nothing = { new: 0, fixed: 0, flaky: 0, known_ending: 0, lost_ms: 0 };
const day: About = {
  kind: 'day',
  project_id: 'project_1',
  numbers: {
    day: '2026-11-20',
    due_at: '2026-11-21T08:00:00.000Z',
    runs: 1,
    lost_ms: 0,
    parts: [{ owner: 'checkout', ...nothing, new: 1 }],
  },
};

const elsewhere = [filledFilter({ branches: ['release/*'] }), filledFilter({ environments: ['os=mac'] })];
const ofSearch = filledFilter({ owners: ['search'] });
const ofCheckout = filledFilter({ owners: ['checkout'] });
const onlyNew = filledFilter({ only_new: true });

describe('the filter of a webhook, for messages of groups and of the default branch', () => {
  it('chooses them by the branch and the environment of their run', () => {
    const incomplete: About = { kind: 'incomplete', ...ofRun, total: 2, missing: [2] };
    for (const about of [main(failure), isNew(), gone(), broken(), incomplete]) {
      for (const filter of elsewhere) expect(passes(filter, about), about.kind).to.equal(false);
      expect(passes(filledFilter({ branches: ['main'] }), about), about.kind).to.equal(true);
    }
  });

  it('chooses them by owner', () => {
    for (const about of [main(failure), isNew(), gone(), broken(), knownFailure(), day]) {
      expect(passes(ofSearch, about), about.kind).to.equal(false);
      expect(passes(ofCheckout, about), about.kind).to.equal(true);
    }
  });

  it('leaves out what somebody knows of, unless it is wanted', () => {
    for (const about of [isNew({ known: true }), gone({ known: true }), broken({ known: true })]) {
      expect(passes(filledFilter({}), about), about.kind).to.equal(false);
      expect(passes(filledFilter({ known: true }), about), about.kind).to.equal(true);
    }
  });

  it('tells that the default branch is red where it leaves one of the failures, and then that it is green', () => {
    const former = { ...failure, new: false };
    expect(passes(onlyNew, main(former))).to.equal(false);
    expect(passes(onlyNew, main(former, failure))).to.equal(true);
    expect(passes(filledFilter({}), main())).to.equal(true);
  });

  it('takes a group that is new for new, and says of one that is gone whatever is new', () => {
    expect(passes(onlyNew, isNew())).to.equal(true);
    expect(passes(onlyNew, gone())).to.equal(true);
  });

  it('takes a failure that is known everywhere for known on the branches and environments that it names', () => {
    for (const filter of elsewhere) {
      expect(passes(filter, knownFailure())).to.equal(true);
      expect(passes(filter, knownFailure({ branch: 'main', environment: 'os=linux' }))).to.equal(false);
    }
  });

  it('chooses digests by owner alone', () => {
    for (const filter of [...elsewhere, onlyNew]) expect(passes(filter, day)).to.equal(true);
  });

  it('leaves them to a webhook with one message for each group or run', () => {
    for (const per of ['group', 'run'] as const) {
      const webhook = { events: ['*'], project_ids: null, per } as const;
      expect(isSubscribed(webhook, { type: 'group.new', about: isNew() })).to.equal(true);
      expect(isSubscribed(webhook, { type: 'test.broken', about: broken() })).to.equal(true);
      expect(isSubscribed(webhook, { type: 'main.red', about: main(failure) })).to.equal(true);
    }
  });
});
