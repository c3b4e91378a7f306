import { expect } from 'chai';
import { createArtifacts, openArtifacts, type WantedArtifact } from '../../src/commands/artifacts.js';
import { confirmArtifacts } from '../../src/commands/confirm-artifacts.js';
import { idsFrom, newSeed } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import type { Settled } from '../../src/commands/settled-in-groups.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { BYTES, expectNothingLeft, givenJanitor, givenResult, HOUR, limits } from './artifacts.given.js';
import { embeddedStores, eventsOf } from '../stores.js';

const content = Buffer.from(BYTES);
const many = (count: number) => Array.from({ length: count }, () => ({ content }));
const uuid = '018f7e6e-0000-7000-8000-000000000000';

describe('artifacts that are created together', () => {
  const stores = embeddedStores('each test');
  const given = async () => {
    const result = await givenResult(stores);
    const together = (wanted: Partial<WantedArtifact>[], by: Partial<CommandContext> = {}) =>
      createArtifacts(
        result.artifacts,
        result.context(by),
        wanted.map((each) => ({ ...result.wanted, ...each })),
        'http://here',
      );
    return { ...result, together };
  };
  const by = () => {
    const ids = idsFrom(newSeed());
    return { first: { ids }, again: { ids, resumed: true } };
  };

  it('need one append for all that are announced, and one for all that are confirmed', async () => {
    const { together, artifacts, context, wanted, stream } = await given();
    let appends = 0;
    const log = {
      ...stores.log,
      append: (...call: Parameters<typeof stores.log.append>) => {
        if (call[0] === stream) appends += 1;
        return stores.log.append(...call);
      },
    };
    const node = openArtifacts({ ...artifacts, commands: openCommandHandler(log) });
    await createArtifacts(
      node,
      context(),
      many(20).map((each) => ({ ...wanted, ...each })),
      '',
    );
    expect(appends).to.equal(2);
    expect(values(await together([{}]))).to.have.length(1);
  });

  it('are there once after a repeat, which answers as the first time', async () => {
    const { together, happened, blobs, now, deleteResult } = await given();
    const { first, again } = by();
    const wanted = [{ content }, {}, { content, metadata: { a: 1 } }];
    const at = now();
    const answered = await together(wanted, { ...first, at });
    const events = await happened();
    expect(await together(wanted, { ...again, at })).to.deep.equal(answered);
    expect(await happened()).to.deep.equal(events);
    expect(blobs.size).to.equal(2 * BYTES.length);
    await deleteResult();
    expect(await together(wanted, { ...again, at })).to.deep.equal(answered);
  });

  it('are not confirmed while the storage is away, and a repeat confirms them', async () => {
    const { together, happened, blobs, now } = await given();
    const { first, again } = by();
    const wanted = many(40);
    const at = now();
    blobs.away = true;
    let tried = 0;
    blobs.before = async (what) => void (what === 'put' && (tried += 1));
    await refusal(together(wanted, { ...first, at }), 'blobs_unavailable');
    expect(await happened()).to.not.include('ArtifactConfirmed');
    expect(tried, 'after the first fault, no more are tried').to.be.at.most(16);
    blobs.away = false;
    expect(values(await together(wanted, { ...again, at }))).to.have.length(40);
    const types = await happened();
    expect(types.filter((type) => type === 'ArtifactCreated')).to.have.length(40);
    expect(types.filter((type) => type === 'ArtifactConfirmed')).to.have.length(40);
  });

  it('leave no bytes behind where a try died before it confirmed them', async () => {
    const { artifacts, context, wanted, stream, blobs } = await given();
    let died = false;
    const dying = {
      ...stores.log,
      append: (...call: Parameters<typeof stores.log.append>) => {
        died = call[2].some(({ type }) => type === 'ArtifactConfirmed');
        return died ? Promise.reject(new Error('died')) : stores.log.append(...call);
      },
    };
    const dead = openArtifacts({ ...artifacts, commands: openCommandHandler(dying) });
    const outcome = await createArtifacts(dead, context(), [{ ...wanted, content }], '').catch(String);
    expect([outcome, died, blobs.size]).to.deep.equal(['Error: died', true, BYTES.length]);
    stores.clock.forward(HOUR);
    await givenJanitor(stores, blobs).round();
    expectNothingLeft(blobs);
    const last = (await eventsOf(stores.log, stream)).at(-1)!;
    expect(last.data).to.include({ reason: 'never_confirmed' });
  });

  it('may have more metadata than one append takes', async () => {
    const { artifacts, context, wanted: one } = await given();
    const metadata = { text: 'x'.repeat(60_000) };
    const bytes: number[] = [];
    const node = openArtifacts({
      ...artifacts,
      commands: openCommandHandler({
        ...stores.log,
        append: (...call) => {
          bytes.push(Buffer.byteLength(JSON.stringify(call[2])));
          return stores.log.append(...call);
        },
      }),
    });
    const labels = Array.from({ length: 15 }, (_, n) => `file ${n}`);
    const all = labels.map((label) => ({ ...one, metadata, label, content }));
    const created = values(await createArtifacts(node, context(), all, ''));
    expect(created.map(({ artifact }) => artifact.label)).to.deep.equal(labels);
    expect(Math.max(...bytes)).to.be.below(500_000);
  });

  it('are all refused for a result that is too old', async () => {
    const { together } = await given();
    stores.clock.forward(limits.maxResultAgeMs + 1);
    expect((await together([{}, { content }])).map(codeOf)).to.deep.equal([
      'result_too_old',
      'result_too_old',
    ]);
  });
});

describe('artifacts that are confirmed together', () => {
  const stores = embeddedStores('each test');

  it('are visible where their files are there, and else refused one by one', async () => {
    const { artifacts, context, create, uploaded, confirmed, happened, blobs, placeOf } =
      await givenResult(stores);
    const other = await givenResult(stores);
    const short = (await create()).artifact.artifact_id;
    blobs.upload(placeOf(short), 'short');
    const missing = (await create()).artifact.artifact_id;
    const [one, two, three] = [await uploaded(), await confirmed(), await uploaded()];
    const foreign = await other.uploaded();
    const ids = [one, missing, short, two, 'artifact_1', foreign, three];
    const outcomes = await confirmArtifacts(artifacts, context(), ids);
    expect(outcomes.map(codeOf)).to.deep.equal([
      null,
      'upload_missing',
      'size_mismatch',
      null,
      'not_found',
      'not_found',
      null,
    ]);
    expect((await happened()).filter((type) => type === 'ArtifactConfirmed')).to.have.length(3);
  });

  it('are confirmed by a repeat where the first try could not, and the others answered as then', async () => {
    const { artifacts, context, create, uploaded, remove, happened, blobs, placeOf } =
      await givenResult(stores);
    const ids = idsFrom(newSeed());
    const [there, late] = [await uploaded(), (await create()).artifact.artifact_id];
    const first = await confirmArtifacts(artifacts, context({ ids }), [there, late]);
    expect(first.map(codeOf)).to.deep.equal([null, 'upload_missing']);
    blobs.upload(placeOf(late), BYTES);
    await remove(there);
    const again = () => confirmArtifacts(artifacts, context({ ids, resumed: true }), [there, late]);
    const [same, confirmed] = await again();
    expect(same).to.deep.equal(first[0]);
    expect(codeOf(confirmed!)).to.equal(null);
    expect(await again()).to.deep.equal([same, confirmed]);
    expect((await happened()).filter((type) => type === 'ArtifactConfirmed')).to.have.length(2);
  });
});

describe('the ids of several things of one request', () => {
  it('are the same at each try, differ, and begin with the time of the request', () => {
    const [one, other] = [idsFrom(uuid), idsFrom(uuid)];
    const all = Array.from({ length: 100 }, (_, n) => one.created('artifact', n));
    expect(all).to.deep.equal(all.map((_, n) => other.created('artifact', n)));
    expect(new Set(all).size).to.equal(100);
    expect(all[0]).to.equal(one.created('artifact'));
    expect(new Set(all.map((id) => id.slice(0, 'artifact_'.length + 9))).size).to.equal(1);
  });
});

function values<T>(outcomes: readonly Settled<T>[]): T[] {
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

function codeOf(outcome: Settled<unknown>): string | null {
  if (outcome.status === 'fulfilled') return null;
  return isAppError(outcome.reason) ? outcome.reason.code : String(outcome.reason);
}
