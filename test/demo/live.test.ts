import { expect } from 'chai';
import type { RunToSubmit } from '../../src/client/index.js';
import { postLiveRun } from '../../src/demo/live.js';

describe('the run of the demo that is watched', () => {
  const calls: RunToSubmit[] = [];

  before(async () => {
    const submitRun = async (run: RunToSubmit) => ({ id: `run_${calls.push(run)}` });
    const client = { submitRun } as unknown as Parameters<typeof postLiveRun>[0]['client'];
    await postLiveRun({ client, projectId: 'project_1', print: () => undefined, pauseMs: 0 });
  });

  it('begins with its first result, and not in the future', () => {
    expect(calls.length).to.be.greaterThan(1);
    for (const { started_at, results } of calls) {
      expect(started_at).to.equal(undefined);
      for (const result of results!) expect(Date.parse(result.started_at!)).to.be.at.most(Date.now());
    }
  });

  it('brings all attempts of a test in one call, so that a retry supersedes a failure', () => {
    const callOf = new Map<string, number>();
    let retries = 0;
    for (const [n, { results }] of calls.entries()) {
      for (const { name, attempt } of results!) {
        if (attempt! > 1) retries += 1;
        expect(callOf.get(name) ?? n, name).to.equal(n);
        callOf.set(name, n);
      }
    }
    expect(retries).to.be.greaterThan(0);
  });
});
