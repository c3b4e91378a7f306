import { expect } from 'chai';
import { exitCodeOf, judge, judgePart } from '../../../src/cli/gate/judge.js';
import { defaultGate, failOnKinds } from '../../../src/domain/gate/judge-gate.js';
import { factsOf } from '../summary/facts.js';

type Changes = Parameters<typeof factsOf>[0];
const judgedOf = (changes: Changes) => ({ ...factsOf(changes), isCurrent: true });

describe('judgement of the gate', () => {
  const failing = (changes: Changes) => {
    return failOnKinds.filter((kind) => !judge({ fail_on: kind }, judgedOf(changes)).passes);
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
    it(what, () => expect([...failing({ counts })].sort()).to.deep.equal([...kinds].sort()));
  }

  it('is the word of the run where no flag says otherwise', () => {
    const gate_settings = { ...defaultGate, max_known: 1 };
    const run = { gate: 'failed', gate_reasons: ['max_known'], gate_settings } as const;
    const judged = judgedOf({ run: { ...run, gate_reasons: ['max_known'] }, counts: { known: 2 } });
    expect(judge({}, judged)).to.deep.equal({
      passes: false,
      reasons: ['2 known failures, more than 1'],
      codes: ['max_known'],
      settings: gate_settings,
    });
    expect(judge({ max_known: 2 }, judged).passes).to.equal(true);
  });

  it('judges by the settings of the run and the flags that win over them', () => {
    const run = { gate: 'passed' as const, gate_settings: { ...defaultGate, min_tests: 50_000 } };
    const { passes, reasons } = judge({ fail_on: 'any' }, judgedOf({ run }));
    expect([passes, reasons]).to.deep.equal([false, ['ran 48,211 tests, fewer than 50,000']]);
  });

  it('names a reason without its number where a later correction of the baseline has taken it away', () => {
    const judged = judgedOf({ run: { gate: 'failed', gate_reasons: ['new_failures'] } });
    expect(judge({}, judged).reasons).to.deep.equal(['new failures']);
  });

  it('says how many tests are missing, and in how many files', () => {
    const run = { gate: 'failed' as const, gate_reasons: ['removed' as const] };
    const facts = judgedOf({ run, counts: { removed: 206 } });
    const judged = { ...facts, comparison: { ...facts.comparison, baseline_tests: 6_694, removed_files: 3 } };
    expect(judge({}, judged).reasons).to.deep.equal([
      'ran 6,488 of 6,694 tests of main; 206 missing, in 3 files',
    ]);
    expect(judge({ max_removed: 206 }, judged).passes).to.equal(true);
    expect(judge({ max_removed: 205 }, judged).codes).to.deep.equal(['removed']);
  });

  it('fails an empty run, one with a report that was cut, and one with failures that were not read', () => {
    const report = { partial: true, failures_unread: 2 };
    const { reasons } = judge({ fail_on: 'none' }, judgedOf({ run: { empty: true, report } }));
    expect(reasons).to.deep.equal([
      'no test ran',
      'a report is not whole',
      'a report counts 2 failures that could not be read',
    ]);
  });

  it('fails a run that the server ended because nothing came any more, by the word of the run and by flags', () => {
    const idle = { completed_by: 'idle', gate: 'failed', gate_reasons: ['incomplete' as const] } as const;
    const judged = judgedOf({ run: { ...idle, gate_reasons: ['incomplete'] } });
    for (const flags of [{}, { fail_on: 'none' } as const])
      expect(judge(flags, judged).reasons).to.deep.equal(['its client never completed it']);
  });

  it('fails for a run that is not completed, and names the shards that came', () => {
    const shards = { total: 4, received: [{ index: 2 }, { index: 2 }, { index: 4 }] };
    for (const status of ['running', 'completed'] as const) {
      const { reasons } = judge({ fail_on: 'new' }, judgedOf({ run: { status, shards } }));
      expect(reasons).to.deep.equal(['only 2 of 4 shards came']);
    }
    expect(failing({ run: { status: 'running', gate: null } })).to.deep.equal([...failOnKinds]);
  });

  it('names the failures of a run that is not completed in words alone: its gate is not decided', () => {
    const judged = judgedOf({ run: { status: 'running', gate: null }, counts: { new_failures: 1 } });
    const { reasons, codes } = judge({}, judged);
    expect(reasons).to.deep.equal(['the run is not completed', '1 new failure']);
    expect(codes).to.deep.equal([]);
  });

  it('never passes on answers that may miss results', () => {
    for (const kind of failOnKinds) {
      for (const status of ['running', 'completed'] as const) {
        const judged = { ...judgedOf({ run: { status } }), isCurrent: false };
        const { passes, reasons } = judge({ fail_on: kind }, judged);
        const behind = 'the server is behind: it has not counted all results in time';
        expect([passes, reasons]).to.deep.equal([false, [behind]]);
        expect(judge({}, judged).passes).to.equal(false);
      }
    }
  });

  it('judges a part of a run without the rest of it, and not on answers that may miss results', () => {
    const shards = { total: 2, received: [{ index: 1 }] };
    const run = { status: 'running', shards, gate: null } as const;
    const part = judgedOf({ run, counts: { removed: 40_000 } });
    expect(judgePart({}, part, false).passes).to.equal(true);
    expect(judgePart({}, { ...part, isCurrent: false }, false).passes).to.equal(false);
    const failed = judgedOf({ run, counts: { new_failures: 1 } });
    expect(judgePart({}, failed, true).reasons).to.deep.equal(['1 new failure']);
    // Those are the failures of another shard.
    expect(judgePart({}, failed, false).passes).to.equal(true);
  });

  it('ends with 1 where the run does not pass', () => {
    const exit = (changes: Changes) => exitCodeOf(judge({ fail_on: 'new' }, judgedOf(changes)));
    expect([exit({}), exit({ counts: { new_failures: 1 } })]).to.deep.equal([0, 1]);
  });

  it('gives all of its reasons', () => {
    const judged = judgedOf({ counts: { new_failures: 2, still_failing: 1, flaky: 1 } });
    expect(judge({ fail_on: 'flaky' }, judged).reasons).to.deep.equal(['3 failures', '1 flaky result']);
  });
});
