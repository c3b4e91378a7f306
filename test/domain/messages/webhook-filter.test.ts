import { expect } from 'chai';
import * as fc from 'fast-check';
import type { FailedGroup } from '../../../src/domain/messages/failed-groups.js';
import type { About } from '../../../src/domain/messages/about.js';
import { chosen, filledFilter, passes } from '../../../src/domain/messages/webhook-filter.js';

const noCounts = {
  counts: { total: 0, pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 },
  count_snapshot: null,
};
const place = { branch: 'main', environment: 'os=linux' };
const ids = { run_id: 'run_1', project_id: 'project_1' };
const failure = { owner: 'checkout', known: false, new: true };
const failed = (more: object = {}): About => ({
  kind: 'result',
  result_id: 'result_1',
  ...ids,
  counts: null,
  group: null,
  place,
  ...failure,
  ...more,
});
const run = (failures: readonly FailedGroup[]): About => ({
  kind: 'run',
  ...ids,
  completion: 1,
  counts: noCounts,
  verdict: null,
  place,
  failures,
});
const group = (isNew: boolean, ...parts: { owner: string | null; known: boolean }[]): FailedGroup => ({
  group: { id: 'group_1', kind: 'message', title: 'no' },
  new: isNew,
  parts: parts.map((part) => ({ ...part, tests: 1, results: 1, examples: [] })),
});

describe('the filter of a webhook', () => {
  it('leaves all but known failures where it names nothing', () => {
    expect(passes(filledFilter({}), failed())).to.equal(true);
    expect(passes(filledFilter({}), failed({ known: true }))).to.equal(false);
    expect(passes(filledFilter({ known: true }), failed({ known: true }))).to.equal(true);
  });

  it('chooses branches and environments by their patterns', () => {
    const branches = (...patterns: string[]) => filledFilter({ branches: patterns });
    const on = (branch: string | null) => failed({ place: { branch, environment: '' } });
    expect(passes(branches('main', 'release/*'), on('release/1.2'))).to.equal(true);
    expect(passes(branches('main', 'release/*'), on('release/1/2'))).to.equal(false);
    expect(passes(branches('**'), on('a/b'))).to.equal(true);
    expect(passes(branches('**'), on(null))).to.equal(false);
    expect(passes(filledFilter({ environments: ['**os=linux**'] }), failed())).to.equal(true);
    expect(passes(filledFilter({ environments: ['os=mac'] }), failed())).to.equal(false);
  });

  it('chooses failures by their owners, and by whether they are new', () => {
    const owners = filledFilter({ owners: ['checkout'] });
    expect(passes(owners, failed())).to.equal(true);
    expect(passes(owners, failed({ owner: null }))).to.equal(false);
    expect(passes(filledFilter({ only_new: true }), failed({ new: false }))).to.equal(false);
  });

  it('leaves a completed run where owners and novelty leave one of its failures', () => {
    const search = group(true, { owner: 'search', known: false });
    const checkout = group(false, { owner: 'checkout', known: false });
    expect(passes(filledFilter({ owners: ['checkout'] }), run([search, checkout]))).to.equal(true);
    expect(passes(filledFilter({ owners: ['checkout'], only_new: true }), run([search, checkout]))).to.equal(
      false,
    );
    expect(passes(filledFilter({ owners: ['search'] }), run([]))).to.equal(false);
    expect(passes(filledFilter({ branches: ['main'] }), run([]))).to.equal(true);
    expect(passes(filledFilter({ branches: ['other'] }), run([]))).to.equal(false);
  });

  it('chooses of a run the failures that it chooses one by one', () => {
    const owner = fc.constantFrom('a', 'b', null);
    const groups = fc.array(
      fc
        .tuple(fc.boolean(), fc.array(fc.record({ owner, known: fc.boolean() }), { minLength: 1 }))
        .map(([isNew, parts]) => group(isNew, ...parts)),
    );
    const filters = fc.record({
      owners: fc.constantFrom<string[] | null>(null, ['a'], ['a', 'b']),
      known: fc.boolean(),
      only_new: fc.boolean(),
    });
    fc.assert(
      fc.property(filters, groups, (sent, failures) => {
        const filter = filledFilter(sent);
        const parts = failures.flatMap((one) => one.parts.map((part) => ({ ...part, new: one.new })));
        const one = parts.filter((part) => passes(filter, failed(part)));
        const left = chosen(filter, failures).flatMap((each) => each.parts);
        expect(left.map(({ owner, known }) => [owner, known])).to.deep.equal(
          one.map(({ owner, known }) => [owner, known]),
        );
      }),
    );
  });
});
