import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { records } from '../../projections/records/records.js';
import { openFoldFeed, type Feed } from '../../src/log/feed.js';
import { AppError } from '../../src/errors.js';
import type { ViewWriter } from '../../src/ports/views.js';
import { readRebuild } from '../../src/projecting/rebuild.js';
import { caughtUp, expectViewsOfLog, feedWith, startedProjector } from './projector-setup.js';
import { givenRequest } from './rebuild-setup.js';
import { embeddedStores, eventually } from '../stores.js';

/** The first build is live, and the second is folded beside it. */
const LIVE = 1;

describe('a rebuild and the live build', () => {
  const stores = embeddedStores('each test');
  const name = records.name;

  async function givenHappening() {
    const { ledger, run, write } = await givenRequest(stores);
    return {
      /** Appends an event that the live build would fold at once. */
      async happen() {
        ledger.result(run, 'Failed');
        await write(ledger);
      },
    };
  }

  /** A feed of pages of two events, which calls `happen` before each page. */
  function pages(happen: (page: number) => Promise<void>): { feed: Feed; count: () => number } {
    let count = 0;
    const beforePage = () => happen((count += 1));
    return { feed: feedWith(openFoldFeed(stores.log), { beforePage, limit: 2 }), count: () => count };
  }

  /** Gives all pending work many turns of the event loop. */
  async function letAllGoOn(): Promise<void> {
    for (let turn = 0; turn < 500; turn += 1) await setImmediate();
  }

  it('do not overtake each other at the switch: the live build has paused by then', async () => {
    const { happen } = await givenHappening();
    const views: ViewWriter = {
      ...stores.writer,
      async promote(...call) {
        const before = await stores.reader.position(name);
        await happen();
        await letAllGoOn();
        expect(await stores.reader.position(name)).to.equal(before);
        await stores.writer.promote(...call);
      },
    };
    const projector = startedProjector(stores, { views });
    await projector.reported('rebuilt');
    await caughtUp(stores);
    await expectViewsOfLog(stores);
    expect(projector.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'rebuilt']);
  });

  it('switch after the last commit of the live build, and not during it', async () => {
    const { happen } = await givenHappening();
    let commits = 0;
    let promotions = 0;
    let open = () => undefined as void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    stores.beforeClose(async () => open());
    const views: ViewWriter = {
      ...stores.writer,
      async commit(spec, commit) {
        if (commit.build === LIVE && commit.changes.length > 0) {
          commits += 1;
          await opened;
        }
        return stores.writer.commit(spec, commit);
      },
      async promote(...call) {
        promotions += 1;
        return stores.writer.promote(...call);
      },
    };
    const { feed } = pages(async (page) => {
      if (page !== 2) return;
      await happen();
      await eventually('the live one is at its commit', () => commits === 1);
    });
    const projector = startedProjector(stores, { views, feed });
    const head = async () => (await stores.writer.builds(name)).find(({ build }) => build !== LIVE)?.position;
    await eventually('the new one has caught up', async () => (await head()) === (await stores.log.head()));
    await letAllGoOn();
    expect(promotions).to.equal(0);
    open();
    await projector.reported('rebuilt');
    expect(promotions).to.equal(1);
    await expectViewsOfLog(stores);
    expect(projector.reports.map(({ type }) => type)).to.deep.equal(['rebuilding', 'rebuilt']);
  });

  it('stop together at once when the live build fails, because clients read it meanwhile', async () => {
    const { happen } = await givenHappening();
    const fault = new AppError('views_unavailable', 'The disk is full.');
    let failures = 0;
    const views: ViewWriter = {
      ...stores.writer,
      async commit(spec, commit) {
        if (commit.build === LIVE && commit.changes.length > 0 && failures === 0) {
          failures += 1;
          throw fault;
        }
        return stores.writer.commit(spec, commit);
      },
    };
    const { feed, count } = pages(async (page) => {
      if (page !== 2) return;
      await happen();
      await eventually('the live one has failed', () => failures === 1);
    });
    const projector = startedProjector(stores, { views, feed });
    await projector.reported('failed');
    expect(count()).to.be.below(4);
    expect(projector.reports[1]).to.include({ type: 'failed', error: fault });
    await projector.reported('rebuilt');
    expect(await readRebuild(stores.state, name)).to.include({ status: 'done', build: 2 });
    await caughtUp(stores);
    await expectViewsOfLog(stores);
  });
});
