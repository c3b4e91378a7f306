import { expect } from 'chai';
import { confirmArtifact, createArtifact, openArtifacts } from '../../src/core/artifacts.js';
import { putDue } from '../../src/core/blob-due.js';
import { openJanitor, startJanitor } from '../../src/core/janitor.js';
import { LEASE_MS } from '../../src/core/lease.js';
import { openLedger } from '../../src/core/ledger.js';
import { project } from '../../src/domain/project.js';
import { refusal } from '../contract/event-log.events.js';
import {
  BYTES,
  DAY,
  expectNothingLeft,
  givenJanitor,
  givenResult,
  HOUR,
  leftToDo,
} from './artifacts.given.js';
import { limits, SETTLED_MS } from './artifacts.given.js';
import { memoryBlobs } from './blobs.memory.js';
import { heldIntervals } from './intervals.js';
import { embeddedStores, eventually } from './stores.js';

describe('the janitor', () => {
  const stores = embeddedStores('each test');

  async function given() {
    const blobs = memoryBlobs();
    return { ...(await givenResult(stores, blobs)), ...givenJanitor(stores, blobs) };
  }

  it('lets artifacts be that are visible, and those whose upload may still come', async () => {
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

  it('ends what was not confirmed in time: first the event, then the bytes', async () => {
    const { uploaded, round, blobs, happened, told } = await given();
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
    expect(told).to.deep.equal({ errors: [], reclaimed: BYTES.length, reasons: ['never_confirmed'] });
  });

  it('ends what is past its time: first the event, then the bytes', async () => {
    const { confirmed, round, blobs, happened, told, confirm } = await given();
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
    // With what lay there from the upload.
    expect(told).to.deep.equal({ errors: [], reclaimed: 2 * BYTES.length, reasons: ['expired'] });
    expect(await leftToDo(stores)).to.equal(0);
  });

  it('deletes the bytes of what was deleted, and of all artifacts of a deleted result, at once', async () => {
    const { confirmed, uploaded, remove, deleteResult, round, blobs, told } = await given();
    await remove(await confirmed());
    await round();
    expectNothingLeft(blobs);
    await confirmed();
    await uploaded();
    await deleteResult();
    await round();
    expectNothingLeft(blobs);
    await round();
    expect(told.reasons.sort()).to.deep.equal(['requested', 'result_deleted', 'result_deleted']);
  });

  it('deletes what was uploaded once more: the URL is good for an hour, whatever became of the artifact', async () => {
    const { confirmed, remove, round, blobs, placeOf } = await given();
    const [seen, deleted] = [await confirmed(), await confirmed()];
    await remove(deleted);
    await round();
    for (const id of [seen, deleted]) blobs.upload(placeOf(id), 'replayed!');
    stores.clock.forward(HOUR);
    await round();
    expect(blobs.at(placeOf(seen))).to.deep.equal({ upload: null, versions: [BYTES] });
    expect(blobs.at(placeOf(deleted))).to.deep.equal({ upload: null, versions: [] });
    // One that began when the URL was good may end when it is no longer.
    for (const id of [seen, deleted]) blobs.upload(placeOf(id), 'was late!');
    stores.clock.forward(SETTLED_MS);
    await round();
    expect(blobs.size).to.equal(BYTES.length);
    expect(blobs.at(placeOf(seen)).versions).to.deep.equal([BYTES]);
  });

  it('never wins together with a confirmation: what is kept in vain is deleted too', async () => {
    const { uploaded, confirm, round, blobs, happened } = await given();
    const id = await uploaded();
    stores.clock.forward(HOUR - 1);
    // The clock strikes between the look and the keeping, and once more after it.
    blobs.before = async (what) => {
      if (what !== 'kept') return;
      stores.clock.forward(1);
      await round();
    };
    await refusal(confirm(id), 'not_found');
    expect((await happened()).slice(1)).to.deep.equal(['ArtifactCreated', 'ArtifactDeleted never_confirmed']);
    // Kept after the place was cleared.
    expect(blobs.size).to.equal(BYTES.length);
    stores.clock.forward(SETTLED_MS);
    await round();
    expectNothingLeft(blobs);
    expect(await leftToDo(stores)).to.equal(0);
  });

  it('looks once more when storage has promised that nothing comes any more, however short uploads may take', async () => {
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
    expect(blobs.at(placeOf(id)).versions, 'kept in vain').to.deep.equal([BYTES]);
    stores.clock.forward(SETTLED_MS - blobs.settlesInMs);
    await round();
    expectNothingLeft(blobs);
  });

  it('never takes the bytes of a confirmation that has won', async () => {
    const { uploaded, confirm, round, blobs, placeOf, artifacts, context } = await given();
    for (const late of [0, 1]) {
      const id = await uploaded();
      stores.clock.forward(HOUR - 1);
      const at = stores.clock().toISOString();
      let other: Promise<unknown> | null = null;
      blobs.before = async (what) => {
        if (what !== 'clear' || other !== null) return;
        // Whoever comes while the place is cleared is told as the stream says.
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

  it('confirmed or expired, by many at once: exactly one of the two', async () => {
    const { context, uploaded, blobs, placeOf, happened } = await given();
    const ids = await Promise.all(Array.from({ length: 20 }, () => uploaded()));
    const at = stores.clock().toISOString();
    // A node whose clock is behind confirms what another takes for over.
    const behind = openArtifacts({
      ledger: openLedger(stores.log),
      blobs,
      clock: () => new Date(at),
      limits,
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

  it('goes on for a project that takes no writes', async () => {
    const { uploaded, confirmed, artifacts, projectStream, context, round, blobs, happened } = await given();
    await uploaded();
    await confirmed();
    const status = 'Inactive' as const;
    await artifacts.ledger.execute(project, projectStream, context(), { type: 'ChangeProject', status });
    stores.clock.forward(30 * DAY);
    await round();
    await round();
    expectNothingLeft(blobs);
    expect((await happened()).at(-1)).to.match(/^ArtifactDeleted/);
  });

  it('gets thousands done in a round, eight at once', async () => {
    const { team, test_result_id: result, blobs, round, told, now } = await given();
    const [at, since] = [now(), now()];
    for (let n = 0; n < 2_000; n += 1) {
      const artifact = `artifact_${n}`;
      blobs.upload({ team, artifact }, BYTES);
      await putDue(stores.state, { at, since, team, artifact, what: 'deletion', result, failures: 0 });
    }
    let [under, most] = [0, 0];
    blobs.before = async () => {
      most = Math.max(most, (under += 1));
      await Promise.resolve();
      under -= 1;
    };
    await round();
    expectNothingLeft(blobs);
    expect(await leftToDo(stores)).to.equal(0);
    expect(blobs.cleared).to.equal(2_000);
    expect(told).to.deep.equal({ errors: [], reclaimed: 2_000 * BYTES.length, reasons: [] });
    expect(most).to.be.within(2, 8);
  });

  it('does what was asked for before a backlog of what came due, also where it is asked for meanwhile', async () => {
    const { team, test_result_id: result, confirmed, remove, blobs, placeOf, round, now } = await given();
    const [id, since] = [await confirmed(), now()];
    for (let n = 0; n < 200; n += 1) {
      const artifact = `artifact_${n}`;
      await putDue(stores.state, {
        at: since,
        since,
        team,
        artifact,
        what: 'late upload',
        result,
        failures: 0,
      });
    }
    const order: string[] = [];
    blobs.before = async (what, { artifact }) => {
      if (what !== 'clear') return;
      order.push(artifact);
      if (order.length === 1) await remove(id);
    };
    await round();
    expect(order.indexOf(id)).to.be.within(1, 40);
    expect(order).to.have.length(201);
    expect(blobs.at(placeOf(id)).versions).to.deep.equal([]);
  });

  it('lets others in between any two pages of a long history', async () => {
    const { janitor } = await given();
    const position = await janitor.feed.head();
    const order: string[] = [];
    // As the log in a file: the promise that it answers has been kept already.
    janitor.feed.read = async () => {
      order.push('page');
      return { events: [], position, caughtUp: order.filter((each) => each === 'page').length === 20 };
    };
    let others = setImmediate(function other() {
      order.push('others');
      others = setImmediate(other);
    });
    await openJanitor(janitor)();
    clearImmediate(others);
    expect(order.filter((each) => each === 'page')).to.have.length(20);
    expect(order.join()).to.not.include('page,page');
  });

  it('ends its round before the end of a history that is too long, and then does what is due', async () => {
    const { confirmed, remove, blobs, janitor } = await given();
    await remove(await confirmed());
    const { read } = janitor.feed;
    let pages = 0;
    janitor.feed.read = async (options) => {
      pages += 1;
      // Each holds the thread.
      for (const until = performance.now() + 20; performance.now() < until;);
      return { ...(await read(options)), caughtUp: false };
    };
    await openJanitor(janitor)();
    expectNothingLeft(blobs);
    expect(pages).to.be.within(2, 30);
  });

  describe('that meets a fault', () => {
    it('tells of a storage that is away, asks it less and less often, and goes on when it is back', async () => {
      const { confirmed, remove, round, blobs, told } = await given();
      for (let n = 0; n < 40; n += 1) await remove(await confirmed());
      blobs.away = true;
      let asked = 0;
      blobs.before = async () => void (asked += 1);
      for (let second = 0; second < 300; second += 1) {
        await round();
        stores.clock.forward(1_000);
      }
      expect(asked).to.be.within(40, 400);
      expect(told.errors.length).to.be.within(3, 30);
      blobs.away = false;
      stores.clock.forward(300_000);
      await round();
      await round();
      expectNothingLeft(blobs);
    });

    it('does not let one that cannot be cleared hold up the others', async () => {
      const { confirmed, remove, round, blobs, told } = await given();
      const broken = await confirmed();
      await remove(broken);
      const fault = new Error('a file that cannot be deleted');
      blobs.before = async (_, { artifact }) => {
        if (artifact === broken) throw fault;
      };
      for (let n = 0; n < 40; n += 1) await remove(await confirmed());
      await round();
      expect(blobs.size).to.equal(2 * BYTES.length);
      expect(told.errors).to.deep.equal([fault]);
      blobs.before = async () => undefined;
      stores.clock.forward(2_000);
      await round();
      expectNothingLeft(blobs);
    });

    for (const step of ['append', 'put', 'remove', 'clear', 'list', 'read'] as const) {
      it(`at any ${step}, is taken up by one that starts anew: nothing is leaked, nothing visible is deleted`, async () => {
        const { confirmed, uploaded, remove, blobs, placeOf, happened } = await given();
        const visible = await confirmed();
        await uploaded();
        await remove(await confirmed());
        // A janitor that dies at the n-th such step, then at the next, then at the one after.
        for (let dies = 1, died = true; died && dies < 60; dies += 1) {
          let steps = 0;
          died = false;
          const count = () => {
            if ((steps += 1) < dies) return;
            died = true;
            throw new Error('died');
          };
          blobs.before = async (what) => void (what === 'clear' && step === 'clear' && count());
          const log = {
            ...stores.log,
            append: async (...call: Parameters<typeof stores.log.append>) => {
              if (step === 'append') count();
              return stores.log.append(...call);
            },
          };
          const state = { ...stores.state };
          if (step === 'put') state.put = async (...call) => (count(), stores.state.put(...call));
          if (step === 'remove') state.remove = async (...call) => (count(), stores.state.remove(...call));
          if (step === 'list') state.list = async (...call) => (count(), stores.state.list(...call));
          const { round, janitor } = givenJanitor(stores, blobs, {
            state,
            ledger: openLedger(log),
            // Each is a start of its own, which the lease of the one that died does not keep out.
            holder: { boot: `start ${step} ${dies}`, alone: true },
          });
          if (step === 'read') {
            const { read } = janitor.feed;
            janitor.feed.read = async (...call) => (count(), read(...call));
          }
          stores.clock.forward(dies === 1 ? HOUR : SETTLED_MS);
          await round().catch(() => undefined);
          expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
        }
        blobs.before = async () => undefined;
        const { round, told } = givenJanitor(stores, blobs, { holder: { boot: 'last', alone: true } });
        for (let n = 0; n < 4; n += 1) {
          stores.clock.forward(SETTLED_MS + 1_000);
          await round();
        }
        expect(told.errors).to.deep.equal([]);
        expect(blobs.size).to.equal(BYTES.length);
        expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
        const ends = (await happened()).filter((each) => each.startsWith('ArtifactDeleted'));
        expect(ends.sort()).to.deep.equal(['ArtifactDeleted never_confirmed', 'ArtifactDeleted requested']);
        // The expiry of the visible one.
        expect(await leftToDo(stores)).to.equal(1);
      });
    }

    it('finds all that is to be done when State was lost', async () => {
      const { confirmed, uploaded, remove, round, blobs, placeOf } = await given();
      const [visible, coming] = [await confirmed(), await uploaded()];
      await remove(await confirmed());
      await round();
      for (const kind of ['blob-due', 'janitor', 'lease']) {
        for (const { key } of await stores.state.list(kind, { limit: 1_000 })) {
          await stores.state.remove(kind, key, 'any');
        }
      }
      stores.clock.forward(HOUR);
      const { round: anew } = givenJanitor(stores, blobs);
      await anew();
      expect(blobs.at(placeOf(coming)).upload).to.equal(null);
      expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
      stores.clock.forward(30 * DAY);
      await anew();
      await anew();
      expectNothingLeft(blobs);
    });
  });

  describe('of many processes', () => {
    it('is one: another takes over when it has ended, or was not heard of for the time of a lease', async () => {
      const { uploaded, blobs, happened } = await given();
      await uploaded();
      const one = givenJanitor(stores, blobs, { holder: { boot: 'one', alone: false } });
      const two = givenJanitor(stores, blobs, { holder: { boot: 'two', alone: false } });
      await one.round();
      const before = await leftToDo(stores);
      stores.clock.forward(LEASE_MS - 1);
      await two.round();
      expect(two.told.errors).to.deep.equal([]);
      expect(await leftToDo(stores)).to.equal(before);
      stores.clock.forward(HOUR);
      await two.round();
      expect((await happened()).at(-1)).to.equal('ArtifactDeleted never_confirmed');
      await two.round.end();
      const three = givenJanitor(stores, blobs, { holder: { boot: 'three', alone: false } });
      stores.clock.forward(SETTLED_MS);
      await three.round();
      expect(await leftToDo(stores)).to.equal(0);
    });

    it('does no harm where two take themselves for it', async () => {
      const { confirmed, uploaded, remove, blobs, happened } = await given();
      await confirmed();
      await uploaded();
      await remove(await confirmed());
      const two = [1, 2].map((n) =>
        givenJanitor(stores, blobs, { holder: { boot: String(n), alone: true } }),
      );
      for (const forward of [0, HOUR, SETTLED_MS, 30 * DAY, SETTLED_MS]) {
        stores.clock.forward(forward);
        await Promise.all(two.map(({ round }) => round()));
      }
      expectNothingLeft(blobs);
      expect(two.flatMap(({ told }) => told.errors)).to.deep.equal([]);
      expect((await happened()).filter((each) => each.startsWith('ArtifactDeleted'))).to.have.length(3);
    });
  });

  describe('does its rounds by the clock', () => {
    const intervals = heldIntervals();

    it('until it is stopped, one at a time, and gives back its lease', async () => {
      const { uploaded, blobs, janitor } = await given();
      await uploaded();
      const stop = startJanitor(janitor);
      intervals.strike();
      intervals.strike();
      await eventually('it is noted', async () => (await leftToDo(stores)) === 1);
      stores.clock.forward(HOUR);
      await eventually('it is done', () => {
        intervals.strike();
        return blobs.size === 0;
      });
      await stop();
      expect(intervals.size).to.equal(0);
      const lease = await stores.state.get<{ until: string }>('lease', 'janitor');
      expect(lease?.value.until).to.equal(stores.clock().toISOString());
    });
  });
});
