import { expect } from 'chai';
import { idsFrom, newSeed } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { confirmArtifact } from '../../src/commands/confirm-artifacts.js';
import { refusal } from '../contract/event-log/events.js';
import { BYTES, DAY, givenResult, HOUR, limits, noMarks } from './artifacts.given.js';
import { embeddedStores, eventsOf } from '../stores.js';

describe('a repeated request on an artifact, with the same ids', () => {
  const stores = embeddedStores('each suite');
  const given = () => givenResult(stores);
  const by = () => {
    const ids = idsFrom(newSeed());
    return { first: { ids }, again: { ids, resumed: true } };
  };

  it('creates the artifact once and answers as the first time, whatever has happened to it since', async () => {
    const { create, confirm, remove, blobs, placeOf, happened, now, deleteResult } = await given();
    const { first, again } = by();
    const at = now();
    const answered = await create({}, { ...first, at });
    const id = answered.artifact.artifact_id;
    const repeat = () => create({}, { ...again, at });
    expect(await repeat()).to.deep.equal(answered);
    blobs.upload(placeOf(id), BYTES);
    stores.clock.forward(1_000);
    await confirm(id);
    expect(await repeat()).to.deep.equal(answered);
    await remove(id);
    expect(await repeat()).to.deep.equal(answered);
    await deleteResult();
    stores.clock.forward(8 * DAY);
    expect(await repeat()).to.deep.equal(answered);
    expect((await happened()).filter((type) => type === 'ArtifactCreated')).to.have.length(1);
  });

  it('creates the artifact once if the first try died between the two streams', async () => {
    const { artifacts, blobs, context, wanted, happened, team, now } = await given();
    const { first, again } = by();
    const dying = {
      ...stores.log,
      append: (...call: Parameters<typeof stores.log.append>) =>
        call[0].startsWith('result-') ? Promise.reject(new Error('died')) : stores.log.append(...call),
    };
    const dead = openArtifacts({
      commands: openCommandHandler(dying),
      blobs,
      clock: stores.clock,
      limits,
      marked: noMarks,
    });
    const at = now();
    const died = await createArtifact(dead, context({ ...first, at }), wanted, '').catch(String);
    expect(died).to.equal('Error: died');
    // The id leads to the result, but the result does not have the artifact.
    const id = first.ids.created('artifact');
    await refusal(confirmArtifact(artifacts, context(), id), 'not_found');
    const { artifact } = await createArtifact(artifacts, context({ ...again, at }), wanted, '');
    expect(artifact.artifact_id).to.equal(id);
    expect((await happened()).filter((type) => type === 'ArtifactCreated')).to.have.length(1);
    expect(await eventsOf(stores.log, `artifact-${team}.${id}`)).to.have.length(1);
  });

  it('confirms the artifact once and answers as the first time', async () => {
    const { uploaded, confirm, remove, happened } = await given();
    const { first, again } = by();
    const id = await uploaded();
    const answered = await confirm(id, first);
    expect(await confirm(id, again)).to.deep.equal(answered);
    await remove(id);
    expect(await confirm(id, again)).to.deep.equal(answered);
    expect((await happened()).filter((type) => type === 'ArtifactConfirmed')).to.have.length(1);
  });

  it('does not confirm an artifact that has expired since the first try', async () => {
    const { uploaded, confirm, now } = await given();
    const { again } = by();
    const [id, at] = [await uploaded(), now()];
    stores.clock.forward(HOUR);
    await refusal(confirm(id, { ...again, at }), 'not_found');
  });
});
