import { expect } from 'chai';
import type { RunToSubmit } from '../../src/client/index.js';
import { postLiveRun } from '../../src/demo/live.js';

describe('the run of the demo that is watched', () => {
  it('begins with its first result, and not in the future', async () => {
    const calls: RunToSubmit[] = [];
    const submitRun = async (run: RunToSubmit) => ({ id: `run_${calls.push(run)}` });
    const client = { submitRun } as unknown as Parameters<typeof postLiveRun>[0]['client'];
    await postLiveRun({ client, projectId: 'project_1', print: () => undefined, pauseMs: 0 });
    expect(calls.length).to.be.greaterThan(1);
    for (const { started_at, results } of calls) {
      expect(started_at).to.equal(undefined);
      for (const result of results!) expect(Date.parse(result.started_at!)).to.be.at.most(Date.now());
    }
  });
});
