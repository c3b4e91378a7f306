import { expect } from 'chai';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { fold } from './folding.js';

describe('the read model of artifacts', () => {
  function given() {
    const ledger = openMemoryLedger();
    const run = ledger.run(ledger.project(ledger.team()));
    const result = ledger.result(run, 'Failed');
    return { ledger, run, result, folded: async () => (await fold(ledger.events)).texts };
  }

  it('lists confirmed artifacts, and keeps the others apart', async () => {
    const { ledger, result, folded } = given();
    const [seen, coming] = [ledger.artifact(result), ledger.artifact(result)];
    ledger.confirmArtifact(seen, 'v7');
    const texts = await folded();
    const of = (id: string) => JSON.parse(texts.get(`artifacts/${id}`)!) as object;
    expect(of(seen.id)).to.include({ confirmed: true, stored_as: 'v7', test_result_id: result.id });
    expect(of(coming.id)).to.include({ confirmed: false, stored_as: null });
  });

  it('has no deleted artifact, whether it was deleted alone or with its result', async () => {
    const { ledger, result, folded } = given();
    const [one, other] = [ledger.artifact(result), ledger.artifact(result)];
    ledger.confirmArtifact(one);
    ledger.confirmArtifact(other);
    ledger.deleteArtifact(one);
    expect([...(await folded()).keys()].filter((key) => key.startsWith('artifacts/'))).to.deep.equal([
      `artifacts/${other.id}`,
    ]);
    ledger.deleteResult(result);
    expect([...(await folded()).keys()].filter((key) => key.startsWith('artifacts/'))).to.deep.equal([]);
  });

  it('leaves the result as it was, and keeps its run from being idle', async () => {
    const { ledger, run, result, folded } = given();
    const before = await folded();
    const artifact = ledger.artifact(result);
    ledger.confirmArtifact(artifact);
    const confirmed = ledger.events.at(-1)!;
    ledger.deleteArtifact(artifact);
    const after = await folded();
    expect(after.get(`results/${result.id}`)).to.equal(before.get(`results/${result.id}`));
    const { active_at, position, ...rest } = JSON.parse(after.get(`runs/${run.id}`)!) as Record<
      string,
      unknown
    >;
    const { active_at: _, position: __, ...same } = JSON.parse(before.get(`runs/${run.id}`)!) as typeof rest;
    expect({ active_at, position }).to.deep.equal({
      active_at: confirmed.meta.at,
      position: confirmed.position,
    });
    expect(rest).to.deep.equal(same);
  });
});
