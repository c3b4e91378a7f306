import { expect } from 'chai';
import { exitCodeOf, failOnKinds, judge } from '../../../src/cli/gate/judge.js';
import { factsOf } from '../summary/facts.js';

type Changes = Parameters<typeof factsOf>[0];

describe('judgement of the gate', () => {
  const failing = (changes: Changes) => {
    const { run, comparison } = factsOf(changes);
    return failOnKinds.filter((kind) => !judge(kind, run, comparison.counts).passes);
  };

  for (const [what, counts, kinds] of [
    ['passes a run without failures', {}, []],
    ['fails for new failures, unless it fails for none', { new_failures: 1 }, ['new', 'any', 'flaky']],
    [
      'lets pass what also fails in the baseline, unless any failure is asked for',
      { still_failing: 1 },
      ['any', 'flaky'],
    ],
    ['fails for flaky tests only where that is asked for', { flaky: 1 }, ['flaky']],
    ['never fails for known failures', { known: 5 }, []],
  ] as const) {
    it(what, () => expect(failing({ counts })).to.deep.equal(kinds));
  }

  it('fails for a run that is not completed, and names the shards that came', () => {
    const shards = { total: 4, received: [{ index: 2 }, { index: 2 }, { index: 4 }] };
    const { run, comparison } = factsOf({ run: { status: 'running', shards } });
    expect(judge('new', run, comparison.counts).reasons).to.deep.equal(['only 2 of 4 shards came']);
    expect(failing({ run: { status: 'running' } })).to.deep.equal(['new', 'any', 'flaky']);
  });

  it('ends with 1 where the run does not pass', () => {
    const exit = (changes: Changes) => {
      const { run, comparison } = factsOf(changes);
      return exitCodeOf(judge('new', run, comparison.counts));
    };
    expect([exit({}), exit({ counts: { new_failures: 1 } })]).to.deep.equal([0, 1]);
  });

  it('gives all of its reasons', () => {
    const { run, comparison } = factsOf({ counts: { new_failures: 2, still_failing: 1, flaky: 1 } });
    expect(judge('flaky', run, comparison.counts).reasons).to.deep.equal(['3 failures', '1 flaky result']);
  });
});
