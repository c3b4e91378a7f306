import { expect } from 'chai';
import { project } from '../../src/domain/project.js';
import {
  BYTES,
  DAY,
  expectNothingLeft,
  givenResultAndJanitor,
  HOUR,
  leftToDo,
  SETTLED_MS,
} from '../commands/artifacts.given.js';
import { embeddedStores } from '../stores.js';

describe('the janitor', () => {
  const stores = embeddedStores('each test');
  const given = () => givenResultAndJanitor(stores);

  it('leaves artifacts alone that are visible, or whose upload may still come', async () => {
    const { confirmed, uploaded, round, blobs, placeOf, confirm } = await given();
    const [seen, coming] = [await confirmed(), await uploaded()];
    stores.clock.forward(HOUR - 1);
    await round();
    await confirm(coming);
    stores.clock.forward(DAY);
    await round();
    for (const id of [seen, coming]) expect(blobs.at(placeOf(id)).versions).to.deep.equal([BYTES]);
    expect(blobs.at(placeOf(seen)).upload).to.equal(null);
    expect(blobs.size).to.equal(2 * BYTES.length);
  });

  it('expires an artifact that was not confirmed in time: first the event, then the bytes', async () => {
    const { uploaded, round, blobs, happened, reported } = await given();
    await uploaded();
    stores.clock.forward(HOUR);
    blobs.before = async () =>
      void expect((await happened()).at(-1)).to.equal('ArtifactDeleted never_confirmed');
    await round();
    expectNothingLeft(blobs);
    await round();
    expect(await happened()).to.deep.equal([
      'ResultCreated',
      'ArtifactCreated',
      'ArtifactDeleted never_confirmed',
    ]);
    expect(reported).to.deep.equal({ errors: [], reclaimed: BYTES.length, reasons: ['never_confirmed'] });
  });

  it('expires an artifact at the end of its time: first the event, then the bytes', async () => {
    const { confirmed, round, blobs, happened, reported, confirm } = await given();
    const id = await confirmed();
    stores.clock.forward(30 * DAY - 1);
    await round();
    await confirm(id);
    stores.clock.forward(1);
    blobs.before = async () => void expect((await happened()).at(-1)).to.equal('ArtifactDeleted expired');
    await round();
    await round();
    expectNothingLeft(blobs);
    expect((await happened()).filter((each) => each.startsWith('ArtifactDeleted'))).to.have.length(1);
    // Together with the bytes of the upload.
    expect(reported).to.deep.equal({ errors: [], reclaimed: 2 * BYTES.length, reasons: ['expired'] });
    expect(await leftToDo(stores)).to.equal(0);
  });

  it('deletes the bytes of a deleted artifact, and of all artifacts of a deleted result, at once', async () => {
    const { confirmed, uploaded, remove, deleteResult, round, blobs, reported } = await given();
    await remove(await confirmed());
    await round();
    expectNothingLeft(blobs);
    await confirmed();
    await uploaded();
    await deleteResult();
    await round();
    expectNothingLeft(blobs);
    await round();
    expect(reported.reasons.sort()).to.deep.equal(['requested', 'result_deleted', 'result_deleted']);
  });

  it('deletes bytes that were uploaded again: the URL is valid for an hour, also after the artifact was deleted', async () => {
    const { confirmed, remove, round, blobs, placeOf } = await given();
    const [seen, deleted] = [await confirmed(), await confirmed()];
    await remove(deleted);
    await round();
    for (const id of [seen, deleted]) blobs.upload(placeOf(id), 'replayed!');
    stores.clock.forward(HOUR);
    await round();
    expect(blobs.at(placeOf(seen))).to.deep.equal({ upload: null, versions: [BYTES] });
    expect(blobs.at(placeOf(deleted))).to.deep.equal({ upload: null, versions: [] });
    // An upload that began in time may end after the URL has expired.
    for (const id of [seen, deleted]) blobs.upload(placeOf(id), 'was late!');
    stores.clock.forward(SETTLED_MS);
    await round();
    expect(blobs.size).to.equal(BYTES.length);
    expect(blobs.at(placeOf(seen)).versions).to.deep.equal([BYTES]);
  });

  it('also works for a project that takes no writes', async () => {
    const { uploaded, confirmed, artifacts, projectStream, context, round, blobs, happened } = await given();
    await uploaded();
    await confirmed();
    const status = 'Inactive' as const;
    await artifacts.commands.execute(project, projectStream, context(), { type: 'ChangeProject', status });
    stores.clock.forward(30 * DAY);
    await round();
    await round();
    expectNothingLeft(blobs);
    expect((await happened()).at(-1)).to.match(/^ArtifactDeleted/);
  });
});
