import { expect } from 'chai';
import { exitCodeOf, failOnKinds, judge, judgePart } from '../../../src/cli/gate/judge.js';
import { factsOf } from '../summary/facts.js';

type Changes = Parameters<typeof factsOf>[0];
const judgedOf = (changes: Changes) => ({ ...factsOf(changes), isCurrent: true });

describe('judgement of the gate', () => {
  const failing = (changes: Changes) => {
    return failOnKinds.filter((kind) => !judge(kind, judgedOf(changes)).passes);
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
    for (const status of ['running', 'completed'] as const) {
      const { reasons } = judge('new', judgedOf({ run: { status, shards } }));
      expect(reasons).to.deep.equal(['only 2 of 4 shards came']);
    }
    expect(failing({ run: { status: 'running' } })).to.deep.equal(['new', 'any', 'flaky']);
  });

  it('never passes on answers that may miss results', () => {
    for (const kind of ['new', 'any', 'flaky'] as const) {
      for (const status of ['running', 'completed'] as const) {
        const { passes, reasons } = judge(kind, { ...judgedOf({ run: { status } }), isCurrent: false });
        const behind = 'the server is behind: it has not counted all results in time';
        expect([passes, reasons]).to.deep.equal([false, [behind]]);
      }
    }
  });

  it('judges a part of a run without the rest of it, and not on answers that may miss results', () => {
    const shards = { total: 2, received: [{ index: 1 }] };
    const part = judgedOf({ run: { status: 'running', shards } });
    expect(judgePart('new', part).passes).to.equal(true);
    expect(judgePart('new', { ...part, isCurrent: false }).passes).to.equal(false);
    const failed = judgedOf({ run: { status: 'running', shards }, counts: { new_failures: 1 } });
    expect(judgePart('new', failed).reasons).to.deep.equal(['1 new failure']);
  });

  it('ends with 1 where the run does not pass', () => {
    const exit = (changes: Changes) => {
      return exitCodeOf(judge('new', judgedOf(changes)));
    };
    expect([exit({}), exit({ counts: { new_failures: 1 } })]).to.deep.equal([0, 1]);
  });

  it('gives all of its reasons', () => {
    const judged = judgedOf({ counts: { new_failures: 2, still_failing: 1, flaky: 1 } });
    expect(judge('flaky', judged).reasons).to.deep.equal(['3 failures', '1 flaky result']);
  });
});
