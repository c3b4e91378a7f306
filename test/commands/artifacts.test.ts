import { expect } from 'chai';
import { idsFrom, newSeed } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { confirmArtifact } from '../../src/commands/confirm-artifacts.js';
import { streamName } from '../../src/domain/event.js';
import { result } from '../../src/domain/results/result.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { BYTES, DAY, givenJanitor, givenResult, HOUR, limits, noMarks } from './artifacts.given.js';
import { embeddedStores, eventsOf, givenSubmission } from '../stores.js';

describe('the artifacts of a result', () => {
  const stores = embeddedStores('each test');
  const given = () => givenResult(stores);

  it('are confirmed once by many requests at once, and all requests get the same answer', async () => {
    const { uploaded, confirm, happened } = await given();
    const id = await uploaded();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(id)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    expect((await happened()).filter((type) => type === 'ArtifactConfirmed')).to.have.length(1);
  });

  it('are exactly 50 if a hundred are created at once on four nodes', async () => {
    const { blobs, context, wanted, happened } = await given();
    const nodes = Array.from({ length: 4 }, () =>
      openArtifacts({
        commands: openCommandHandler(stores.log),
        blobs,
        clock: stores.clock,
        limits,
        marked: noMarks,
      }),
    );
    const asked = nodes.flatMap((node) =>
      Array.from({ length: 25 }, () => createArtifact(node, context(), wanted, 'http://here')),
    );
    await expectFifty(asked);
    expect((await happened()).filter((type) => type === 'ArtifactCreated')).to.have.length(50);
  });

  it('may be confirmed and deleted all at once', async () => {
    const { uploaded, confirm, remove, happened } = await given();
    const ids = await Promise.all(Array.from({ length: 50 }, () => uploaded()));
    await Promise.all(ids.map((id) => confirm(id)));
    await Promise.all(ids.map(remove));
    expect(await happened()).to.have.length(151);
  });

  it('make room for others when they are deleted or not uploaded in time', async () => {
    const { create, remove, uploaded, confirm } = await given();
    const ids = await Promise.all(Array.from({ length: 50 }, () => uploaded()));
    await confirm(ids[0]!);
    await refusal(create(), 'artifact_limit');
    await remove(ids[1]!);
    await create();
    await refusal(create(), 'artifact_limit');
    stores.clock.forward(HOUR);
    await Promise.all(Array.from({ length: 49 }, () => create()));
    await refusal(create(), 'artifact_limit');
  });

  it('are at most 50, even if one expires while it is being confirmed', async () => {
    const { create, uploaded, confirm, blobs, placeOf, happened } = await given();
    const ids = await Promise.all(Array.from({ length: 50 }, () => uploaded()));
    stores.clock.forward(HOUR - 1);
    let others = 0;
    blobs.before = async (what) => {
      if (what !== 'kept') return;
      // The storage copies until the uploads of all others have expired, and new artifacts take their places.
      stores.clock.forward(1);
      for (; others < 50; others += 1) await create();
    };
    await refusal(confirm(ids[0]!), 'not_found');
    expect(others).to.equal(50);
    expect(await happened()).to.not.include('ArtifactConfirmed');
    const { round } = givenJanitor(stores, blobs);
    await round();
    expect(blobs.at(placeOf(ids[0]!)).versions, 'kept in vain').to.deep.equal([]);
  });

  it('are refused for a result that is too old, deleted, unknown or malformed', async () => {
    const { create, deleteResult, team } = await given();
    stores.clock.forward(7 * DAY);
    await create();
    stores.clock.forward(1);
    await refusal(create(), 'result_too_old');
    const never = idsFrom(newSeed()).created('result');
    for (const test_result_id of [never, 'result_1', '', team]) {
      await refusal(create({ test_result_id }), 'not_found');
    }
    await deleteResult();
    await refusal(create(), 'not_found');
  });

  it('are not kept if they expire before the storage begins to keep them', async () => {
    const { uploaded, context, blobs, projectStream } = await given();
    const id = await uploaded();
    stores.clock.forward(HOUR - 1);
    const slow = {
      ...stores.log,
      readStream: async (...call: Parameters<typeof stores.log.readStream>) => {
        if (call[0] === projectStream) stores.clock.forward(1);
        return stores.log.readStream(...call);
      },
    };
    const node = openArtifacts({
      commands: openCommandHandler(slow),
      blobs,
      clock: stores.clock,
      limits,
      marked: noMarks,
    });
    blobs.before = async (what) => expect.fail(`it was asked to ${what}`);
    await refusal(confirmArtifact(node, context(), id), 'not_found');
  });

  it('may belong to a result that was submitted with its run, and are deleted with it', async () => {
    const { team, project_id, create, uploaded, confirm, artifacts, context, blobs } = await given();
    const { result_ids } = await givenSubmission(stores.log, { team, project_id }, [{}, {}]);
    const [test_result_id] = result_ids as [string];
    const { artifact } = await create({ test_result_id });
    blobs.upload({ team, artifact: artifact.artifact_id }, BYTES);
    expect(await confirm(artifact.artifact_id)).to.include({ test_result_id });
    const stream = streamName('result', team, test_result_id);
    await uploaded();
    await artifacts.commands.execute(result, stream, context(), { type: 'DeleteResult' });
    const types = (await eventsOf(stores.log, stream)).map(({ type }) => type);
    expect(types).to.deep.equal(['ArtifactCreated', 'ArtifactConfirmed', 'ArtifactDeleted', 'ResultDeleted']);
    await refusal(confirm(artifact.artifact_id), 'not_found');
    await refusal(create({ test_result_id }), 'not_found');
    const { round } = givenJanitor(stores, blobs);
    await round();
    // The artifacts that are left belong to the other result.
    expect(blobs.size).to.equal(BYTES.length);
  });

  it('have an upload time that is not longer than their life', async () => {
    const { artifacts, context, wanted } = await given();
    const short = { ...artifacts, limits: { ...limits, ttlMs: 1_000 } };
    const { artifact } = await createArtifact(short, context(), wanted, 'http://here');
    expect(artifact.upload_expires_at).to.equal(artifact.expires_at);
  });

  it('are neither confirmed nor lost while the storage is unavailable', async () => {
    const { uploaded, confirm, blobs } = await given();
    const id = await uploaded();
    blobs.away = true;
    await refusal(confirm(id), 'blobs_unavailable');
    blobs.away = false;
    await confirm(id);
  });
});

async function expectFifty(asked: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(asked);
  const refused = ended.filter((end) => end.status === 'rejected').map(({ reason }) => reason as unknown);
  expect(refused).to.have.length(50);
  for (const reason of refused) expect(isAppError(reason) && reason.code).to.equal('artifact_limit');
}
