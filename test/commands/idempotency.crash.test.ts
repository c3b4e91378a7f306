import { expect } from 'chai';
import { createArtifact, deleteArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { openIdempotency, type IdempotentRequest } from '../../src/commands/idempotency.js';
import { LEASE_MS } from '../../src/leases/lease.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { recordResult } from '../../src/commands/results.js';
import { refusal } from '../contract/event-log/events.js';
import { givenResult, limits, noMarks } from './artifacts.given.js';
import { memoryBlobs } from '../artifacts/memory-blobs.js';
import { fakeIntervals } from '../concurrency/fake-intervals.js';
import { contextOf, embeddedStores, eventually, givenRun } from '../stores.js';

describe('a request with an Idempotency-Key', () => {
  const stores = embeddedStores('each test');
  const key = { scope: 'a scope', bodyHash: 'a body', project_ids: null };
  const begin = (boot: string, alone = true) =>
    openIdempotency(stores.state, { boot, alone }, stores.clock, (error) => expect.fail(String(error)))(key);
  const attempt = async (boot: string, alone = true): Promise<IdempotentRequest> => {
    const begun = await begin(boot, alone);
    return 'ids' in begun ? begun : expect.fail('it was answered before');
  };

  it('that was committed but never answered is answered, not repeated', async () => {
    const { team, project_id, run_id } = await givenRun(stores.log);
    const wanted = { project_id, test_run_id: run_id, test_name: 'adds up', status: 'Passed' } as const;
    const record = ({ ids, at, resumed }: IdempotentRequest) =>
      recordResult(openCommandHandler(stores.log), stores.log, contextOf(team, { ids, at, resumed }), wanted);

    const committed = await record(await attempt('first start'));
    // Here the server dies, and the client repeats its request.
    await stores.restart();
    stores.clock.forward(3_000);
    const again = await attempt('second start');
    expect(await record(again)).to.deep.equal(committed);
    await again.answered({ status: 200, body: JSON.stringify(committed) }, { secret: false });

    const filter = { streams: [`result-${team}.`] };
    const { events } = await stores.log.readAll({ after: '', filter });
    expect(events.map(({ type }) => type)).to.deep.equal(['ResultCreated']);
    expect(await begin('second start')).to.deep.equal({ status: 200, body: JSON.stringify(committed) });
  });

  it('that was never committed runs with the ids and the instant of the first try', async () => {
    const { team, project_id } = await givenRun(stores.log);
    const first = await attempt('first start');
    await stores.restart();
    stores.clock.forward(3_000);
    const { ids, at, resumed } = await attempt('second start');
    const wanted = { project_id, test_name: 'adds up', status: 'Passed' } as const;
    const recorded = await recordResult(
      openCommandHandler(stores.log),
      stores.log,
      contextOf(team, { ids, at, resumed }),
      wanted,
    );
    expect(recorded).to.include({ test_result_id: first.ids.created('result'), created_at: first.at });
  });

  it('that created an artifact is answered with the same artifact, whether the first try was answered or not', async () => {
    const blobs = memoryBlobs();
    const { team, context, wanted, happened } = await givenResult(stores, blobs);
    const announce = ({ ids, at, resumed }: IdempotentRequest) => {
      const artifacts = openArtifacts({
        commands: openCommandHandler(stores.log),
        blobs,
        clock: stores.clock,
        limits,
        marked: noMarks,
      });
      return createArtifact(artifacts, context({ ids, at, resumed }), wanted, 'http://here');
    };
    const committed = await announce(await attempt('first start'));
    // Here the server dies, and the client repeats its request: first without an answer, then with one.
    for (const boot of ['second start', 'third start', 'fourth start']) {
      await stores.restart();
      stores.clock.forward(3_000);
      const again = await attempt(boot);
      expect(await announce(again)).to.deep.equal(committed);
      await again.answered({ status: 200, body: JSON.stringify(committed) }, { again: true });
      if (boot !== 'second start') continue;
      const artifacts = openArtifacts({
        commands: openCommandHandler(stores.log),
        blobs,
        clock: stores.clock,
        limits,
        marked: noMarks,
      });
      await deleteArtifact(artifacts, context(), committed.artifact.artifact_id);
    }
    const filter = {
      streams: [`result-${team}.`, `artifact-${team}.`],
      types: ['ArtifactAssigned', 'ArtifactCreated'],
    };
    const { events } = await stores.log.readAll({ after: '', filter });
    expect(events.map(({ type }) => type)).to.deep.equal(['ArtifactAssigned', 'ArtifactCreated']);
    expect(await happened()).to.deep.equal(['ResultCreated', 'ArtifactCreated', 'ArtifactDeleted requested']);
  });

  describe('that takes long', () => {
    const intervals = fakeIntervals();

    const versionOf = async () => (await stores.state.get('idempotency', key.scope))?.version ?? 0;

    /** Moves the clock forward. */
    async function forward(milliseconds: number): Promise<void> {
      const before = await versionOf();
      stores.clock.forward(milliseconds);
      intervals.fire();
      await eventually('the lease is renewed', async () => (await versionOf()) > before);
    }

    it('keeps its lease as long as it works', async () => {
      const first = await attempt('one', false);
      for (let n = 0; n < 9; n += 1) await forward(LEASE_MS - 1);
      await refusal(begin('other', false), 'in_flight');
      await first.answered({ status: 200, body: null }, { secret: false });
      expect(await begin('other', false)).to.deep.equal({ status: 200, body: null });
    });

    it('does not renew its lease after its end', async () => {
      const first = await attempt('one', false);
      expect(intervals.size).to.equal(1);
      await first.unknown();
      expect(intervals.size).to.equal(0);
      expect((await attempt('other', false)).resumed).to.equal(true);
    });
  });
});
