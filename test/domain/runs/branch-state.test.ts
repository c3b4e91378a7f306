import { expect } from 'chai';
import { branchStateOf, type BranchRun } from '../../../src/domain/runs/branch-state.js';

let runs = 0;
const run = (fields: Partial<BranchRun> = {}): BranchRun => ({
  id: `run_${(runs += 1)}`,
  status: 'completed',
  outcome: 'passed',
  standing_counts: { total: 1, pending: 0, running: 0 },
  created_at: '2026-11-21T01:00:00.000Z',
  build: '7',
  commit: 'c7',
  tool: 'mocha',
  environment_key: '',
  metadata: null,
  gate: 'passed',
  shards: null,
  report: { partial: false, failures_unread: 0 },
  completed_by: 'requested',
  ...fields,
});
const stateOf = (found: BranchRun[]) => branchStateOf(found, true);
const none = { total: 0, pending: 0, running: 0 };
const onWindows = { environment_key: 'os=windows' };

describe('the state of a branch', () => {
  it('is passing where all runs of the newest build are completed and passed', () => {
    expect(stateOf([run(), run(onWindows), run({ build: '6', outcome: 'failed' })])).to.equal('passing');
    expect(stateOf([run({ outcome: 'skipped', gate: null }), run(onWindows)])).to.equal('passing');
  });

  it('is failing as soon as one of them fails, or its gate', () => {
    expect(stateOf([run({ outcome: 'failed' }), run(onWindows)])).to.equal('failing');
    expect(stateOf([run({ status: 'running', outcome: null }), run({ outcome: 'failed' })])).to.equal(
      'failing',
    );
    expect(stateOf([run({ gate: 'failed' })])).to.equal('failing');
  });

  it('is not passing where one of them is still going', () => {
    for (const status of ['pending', 'running'] as const)
      expect(stateOf([run({ status, outcome: null }), run(onWindows)])).to.equal('running');
  });

  it('is not passing where a shard, a leg of the build before, or a part of a report is missing', () => {
    const shards = { total: 2, received: [{ index: 1 }, { index: 1 }] };
    expect(stateOf([run({ shards })])).to.equal('incomplete');
    expect(stateOf([run(), run({ build: '6' }), run({ build: '6', ...onWindows })])).to.equal('incomplete');
    const job = (name: string) => ({ metadata: { job: name } });
    expect(stateOf([run(job('unit')), run({ build: '6', ...job('e2e') })])).to.equal('incomplete');
    expect(stateOf([run({ report: { partial: true, failures_unread: 0 } })])).to.equal('incomplete');
    expect(stateOf([run({ report: { partial: false, failures_unread: 1 } })])).to.equal('incomplete');
    expect(stateOf([run({ completed_by: 'idle' })])).to.equal('incomplete');
  });

  it('is not passing while a leg is missing that any build of the last 7 days had, however many had it not', () => {
    const at = (build: string, created_at: string, fields: object = {}) =>
      run({ build, created_at, ...fields });
    const later = [
      at('9', '2026-11-21T01:00:00.000Z'),
      at('8', '2026-11-20T01:00:00.000Z'),
      at('7', '2026-11-19T01:00:00.000Z'),
    ];
    const whole = (created_at: string) => [at('6', created_at, onWindows), at('6', created_at)];
    expect(stateOf([...later, ...whole('2026-11-14T01:00:00.000Z')])).to.equal('incomplete');
    expect(stateOf([...later, ...whole('2026-11-14T00:59:59.999Z')])).to.equal('passing');
  });

  it('knows a job again in another build, though its clients put the name of the build before its own', () => {
    const ofJob = (build: string, job: string) => run({ build, metadata: { job } });
    const id = (n: number) => `018f0000-0000-7000-8000-00000000000${n}`;
    for (const [one, other] of [
      [
        ofJob('github acme/shop 8 attempt 2', 'github acme/shop 8 unit'),
        ofJob('github acme/shop 7 attempt 1', 'github acme/shop 7 unit'),
      ],
      [
        ofJob(`buildkite acme/shop ${id(1)}`, `buildkite acme/shop ${id(1)} ${id(2)} unit`),
        ofJob(`buildkite acme/shop ${id(3)}`, `buildkite acme/shop ${id(3)} ${id(4)} unit`),
      ],
      [ofJob('chain 8', 'gitlab acme/shop 78 unit'), ofJob('chain 7', 'gitlab acme/shop 77 unit')],
    ] as const) {
      expect(stateOf([one, other])).to.equal('passing');
      expect(
        stateOf([one, run({ ...other, metadata: { job: `${String(other.metadata!['job'])}, e2e` } })]),
      ).to.equal('incomplete');
    }
    const legs = (build: string, ...nodes: number[]) =>
      nodes.map((node) => ofJob(`gitlab acme/shop ${build}`, `gitlab acme/shop ${build} unit: [${node}]`));
    expect(stateOf([...legs('78', 20), ...legs('77', 20, 22)])).to.equal('incomplete');
  });

  it('is not passing where nothing ran, or where not all runs of the build are known', () => {
    expect(stateOf([])).to.equal('no_runs');
    expect(stateOf([run({ outcome: null, standing_counts: none }), run(onWindows)])).to.equal('empty');
    expect(stateOf([run({ outcome: null }), run(onWindows)])).to.equal('unfinished');
    expect(stateOf([run({ outcome: 'skipped' })])).to.equal('skipped');
    expect(branchStateOf([run()], false)).to.equal('incomplete');
  });

  it('is not passing where a result never ended, such as that of a job that was killed', () => {
    for (const open of [{ pending: 1 }, { running: 1 }])
      expect(stateOf([run({ standing_counts: { ...none, total: 3, ...open } })])).to.equal('incomplete');
  });

  it('is that of the build that began last, also where a job of an older one comes late or runs again', () => {
    const [older, newer] = [{ build: '6' }, { build: '7', outcome: 'failed' } as const];
    const late = run({ ...older, ...onWindows });
    expect(stateOf([late, run({ ...newer, ...onWindows }), run(newer), run(older)])).to.equal('failing');
    expect(stateOf([run(older), run(newer), run(older)])).to.equal('failing');
    const last = run({ build: '7', ...onWindows });
    expect(stateOf([late, last, run(), run({ ...older, outcome: 'failed' })])).to.equal('passing');
  });

  it('takes the runs of one commit for a build where they name none', () => {
    const unnamed = { build: null, commit: 'c8' };
    expect(stateOf([run(unnamed), run({ ...unnamed, outcome: 'failed' })])).to.equal('failing');
    expect(stateOf([run(unnamed), run({ build: null, commit: 'c7', outcome: 'failed' })])).to.equal(
      'passing',
    );
    const nowhere = { build: null, commit: null };
    expect(stateOf([run(nowhere), run({ ...nowhere, outcome: 'failed' })])).to.equal('passing');
  });

  it('counts the newest start of a job that was started again', () => {
    const start = (job_start: string, fields: object = {}) =>
      run({ metadata: { job: 'unit', job_start }, ...fields });
    expect(stateOf([start('2'), start('1', { outcome: 'failed' })])).to.equal('passing');
    expect(stateOf([start('2', { outcome: 'failed' }), start('1')])).to.equal('failing');
  });
});
