import { expect } from 'chai';
import { awaitFacts } from '../../../src/cli/gate/await-facts.js';
import { verdictOf } from '../../../src/cli/summary/verdict.js';
import type { Client } from '../../../src/client/index.js';
import { factsOf, groupOf } from '../summary/facts.js';

const paths = {
  run: '/v1/test-runs/{id}',
  project: '/v1/projects/{id}',
  comparison: '/v1/test-runs/{id}/comparison',
  groups: '/v1/test-runs/{id}/failures',
  group: '/v1/test-runs/{id}/failures/{group}',
  kind: '/v1/test-runs/{id}/comparison/{kind}',
} as const;
type Name = keyof typeof paths;

/** A client whose server counts one failure more with each look at the run; the first `times` answers of `late` are behind. */
function clientOf(late: Name, times: number) {
  let failures = 0;
  let left = times;
  const { run, project } = factsOf({});
  const bodies: Record<Name, () => object> = {
    run: () => {
      failures += 1;
      return { data: { ...run, project_id: project.id, pull_request: null } };
    },
    project: () => ({ data: project }),
    comparison: () => ({ data: factsOf({ counts: { new_failures: failures } }).comparison }),
    groups: () => ({ data: [groupOf({ tests: failures + 1 })], pagination: { total: 1 } }),
    group: () => ({ data: [], pagination: { total: 0 } }),
    kind: () => ({ data: [], pagination: { total: 0 } }),
  };
  const client = {
    GET: async (path: string) => {
      const name = (Object.keys(paths) as Name[]).find((each) => paths[each] === path)!;
      const isBehind = name === late && left > 0;
      if (isBehind) left -= 1;
      const headers = isBehind ? { 'X-Read-Lag': '5' } : undefined;
      return { data: bodies[name](), response: new Response(null, headers && { headers }) };
    },
  };
  return client as unknown as Client;
}

describe('the facts of a gate and of a summary', () => {
  const amounts = { groups: 10, names: 3, results: 10 };
  const read = (late: Name, times: number, waitMs: number) =>
    awaitFacts(clientOf(late, times), { id: 'run_1' }, { server: 'https://l.example', waitMs, amounts });

  for (const late of Object.keys(paths) as Name[]) {
    it(`are all read again while those of the ${late} are behind`, async () => {
      const facts = await read(late, 1, 10_000);
      expect(facts.isCurrent).to.equal(true);
      // The verdict and the groups are of the second look.
      expect([facts.comparison.counts.new_failures, facts.groups[0]!.tests]).to.deep.equal([2, 3]);
    });

    it(`say at the end of the wait that those of the ${late} are behind`, async () => {
      const facts = await read(late, Number.POSITIVE_INFINITY, 0);
      expect(facts.isCurrent).to.equal(false);
      expect(verdictOf(facts, String)).to.match(/ · the server has not counted all results yet$/u);
    });
  }
});
