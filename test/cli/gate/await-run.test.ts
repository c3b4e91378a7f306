import { expect } from 'chai';
import { awaitRun } from '../../../src/cli/gate/await-run.js';
import type { Client } from '../../../src/client/index.js';

type Look = { status: string; lag?: 'run' | 'comparison' };

/** A client whose server answers one look after the other, and then the last one again. */
function clientOf(looks: readonly Look[]) {
  let n = 0;
  const answer = (data: object, isBehind: boolean) => ({
    data: { data },
    response: new Response(null, isBehind ? { headers: { 'X-Read-Lag': '5' } } : {}),
  });
  const client = {
    GET: async (path: string) => {
      const { status, lag } = looks[Math.min(n, looks.length - 1)]!;
      if (path.endsWith('/comparison')) return answer({ counts: {} }, lag === 'comparison');
      n += 1;
      return answer({ id: 'run_1', status }, lag === 'run');
    },
  };
  return client as unknown as Client;
}

describe('the wait of the gate', () => {
  const wanted = { id: 'run_1' };
  const waited = async (looks: readonly Look[], waitMs: number, state?: 'current') => {
    const { run, isCurrent } = await awaitRun(clientOf(looks), wanted, waitMs, state);
    return [run.status, isCurrent];
  };

  it('ends when the run is completed, and run and comparison show all that has come', async () => {
    const completed = { status: 'completed' };
    expect(await waited([{ status: 'running' }, completed], 10_000)).to.deep.equal(['completed', true]);
    for (const lag of ['run', 'comparison'] as const)
      expect(await waited([{ ...completed, lag }, completed], 10_000)).to.deep.equal(['completed', true]);
  });

  it('does not need the end of a run of which a part is judged', async () => {
    const looks = [{ status: 'running', lag: 'comparison' } as const, { status: 'running' }];
    expect(await waited(looks, 10_000, 'current')).to.deep.equal(['running', true]);
  });

  it('says at its own end where results may be missing in the answers', async () => {
    for (const lag of ['run', 'comparison'] as const)
      expect(await waited([{ status: 'completed', lag }], 0)).to.deep.equal(['completed', false]);
    expect(await waited([{ status: 'completed' }], 0)).to.deep.equal(['completed', true]);
  });
});
