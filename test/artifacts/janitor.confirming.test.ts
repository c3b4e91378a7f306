import { expect } from 'chai';
import { createArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { confirmArtifact } from '../../src/commands/confirm-artifacts.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { refusal } from '../contract/event-log/events.js';
import {
  BYTES,
  expectNothingLeft,
  givenResultAndJanitor,
  givenJanitor,
  HOUR,
  leftToDo,
  limits,
  noMarks,
  SETTLED_MS,
} from '../commands/artifacts.given.js';
import { embeddedStores } from '../stores.js';

describe('the janitor and confirmations at the same time', () => {
  const stores = embeddedStores('each suite');
  const given = () => givenResultAndJanitor(stores);

  it('never both succeed: a version that a refused confirmation stored is deleted too', async () => {
    const { uploaded, confirm, round, blobs, happened } = await given();
    const id = await uploaded();
    stores.clock.forward(HOUR - 1);
    // The upload expires between the check and the storing of the version.
    blobs.before = async (what) => {
      if (what !== 'kept') return;
      stores.clock.forward(1);
      await round();
    };
    await refusal(confirm(id), 'not_found');
    expect((await happened()).slice(1)).to.deep.equal(['ArtifactCreated', 'ArtifactDeleted never_confirmed']);
    // This version was stored after the place was cleared.
    expect(blobs.size).to.equal(BYTES.length);
    stores.clock.forward(SETTLED_MS);
    await round();
    expectNothingLeft(blobs);
    expect(await leftToDo(stores)).to.equal(0);
  });

  it('end with a last check when storage promises that nothing more arrives, however short the time for uploads is', async () => {
    const { artifacts, context, wanted, blobs, placeOf, round } = await given();
    const short = { ...artifacts, limits: { ...limits, uploadTtlMs: 1_000 } };
    const { artifact_id: id } = (await createArtifact(short, context(), wanted, 'http://here')).artifact;
    blobs.upload(placeOf(id), BYTES);
    stores.clock.forward(999);
    blobs.before = async (what) => {
      if (what !== 'kept') return;
      stores.clock.forward(1 + blobs.settlesInMs);
      await round();
      await round();
    };
    await refusal(confirmArtifact(short, context(), id), 'not_found');
    expect(blobs.at(placeOf(id)).versions, 'stored by a refused confirmation').to.deep.equal([BYTES]);
    stores.clock.forward(SETTLED_MS - blobs.settlesInMs);
    await round();
    expectNothingLeft(blobs);
  });

  it('never delete the bytes of a confirmation that succeeded', async () => {
    const { uploaded, confirm, round, blobs, placeOf, artifacts, context } = await given();
    for (const late of [0, 1]) {
      const id = await uploaded();
      stores.clock.forward(HOUR - 1);
      const at = stores.clock().toISOString();
      let other: Promise<unknown> | null = null;
      blobs.before = async (what) => {
        if (what !== 'clear' || other !== null) return;
        // A confirmation that comes while the place is cleared gets the answer of the stream.
        other = confirmArtifact(artifacts, context({ at }), id).catch(() => null);
        await other;
      };
      if (late === 0) await confirm(id);
      stores.clock.forward(1);
      await round();
      const { versions } = blobs.at(placeOf(id));
      expect(versions).to.deep.equal(late === 0 ? [BYTES] : []);
    }
  });

  it('of many artifacts at once leave each either confirmed or expired', async () => {
    const { context, uploaded, blobs, placeOf, happened } = await given();
    const ids = await Promise.all(Array.from({ length: 20 }, () => uploaded()));
    const at = stores.clock().toISOString();
    // A node whose clock is behind confirms artifacts that have expired for another node.
    const behind = openArtifacts({
      commands: openCommandHandler(stores.log),
      blobs,
      clock: () => new Date(at),
      limits,
      marked: noMarks,
    });
    stores.clock.forward(HOUR);
    const { round } = givenJanitor(stores, blobs);
    const racing = ids.map((id) =>
      confirmArtifact(behind, context({ at }), id).then(
        () => true,
        () => false,
      ),
    );
    const [, ...won] = await Promise.all([round(), ...racing]);
    const events = await happened();
    const confirmed = events.filter((each) => each === 'ArtifactConfirmed');
    const expired = events.filter((each) => each === 'ArtifactDeleted never_confirmed');
    expect([confirmed.length, confirmed.length + expired.length]).to.deep.equal([
      won.filter(Boolean).length,
      20,
    ]);
    stores.clock.forward(SETTLED_MS);
    await round();
    ids.forEach((id, n) => expect(blobs.at(placeOf(id)).versions).to.have.length(won[n] === true ? 1 : 0));
  });
});
