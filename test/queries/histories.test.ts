import { openActorNames } from '../../src/queries/actor-names.js';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { NewEvent } from '../../src/domain/event.js';
import { openHistories } from '../../src/queries/histories.js';
import { isAppError } from '../../src/errors.js';
import type { StreamReader } from '../../src/log/streams.js';
import { contextOf, embeddedStores, givenRun, givenSubmission } from '../stores.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { memoryDeliveries } from '../webhooks/deliveries.memory.js';

describe('the histories', () => {
  const stores = embeddedStores('each suite');
  const everything = { offset: 0, limit: 100, withDeliveries: false };

  /** With the size of each page of a stream that is read. */
  function open(commands: Awaited<ReturnType<typeof givenRun>>['commands']) {
    const pages: number[] = [];
    const log: StreamReader = {
      async readStream(...call) {
        const page = await stores.log.readStream(...call);
        pages.push(page.events.length);
        return page;
      },
    };
    const actors = openActorNames(commands, async () => 'Mia');
    const histories = openHistories({ actors, log, views: stores.reader, deliveries: memoryDeliveries() });
    return { histories, pages };
  }

  /** A run that is described this many times, each time with these metadata and a number. */
  async function givenDescriptions(count: number, metadata: object = {}) {
    const made = await givenRun(stores.log, { metadata: { n: 0 } });
    const { team, run_id, project_id, runStream } = made;
    const { actor, at, correlationId } = contextOf(team);
    const meta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
    const events = Array.from({ length: count }, (_, n): NewEvent => {
      const data = { run_id, project_id, metadata: { ...metadata, n: n + 1 } };
      return { id: randomUUID(), type: 'RunDescribed', version: 1, data, meta };
    });
    for (let from = 0; from < count; from += 100) {
      await stores.log.append(runStream, 'any', events.slice(from, from + 100));
    }
    return { ...made, ...open(made.commands) };
  }

  it('follow the thing through all pages of its stream, and show the requested part', async () => {
    const { histories, pages, team, run_id } = await givenDescriptions(2_500);
    const part = { ...everything, offset: 2_490, limit: 5 };
    const { items, total, work } = await histories.ofRun(wholeTeam(team), run_id, part);
    expect(total).to.equal(2_501);
    expect(items.map(({ changes }) => changes)).to.deep.equal(
      [2_490, 2_491, 2_492, 2_493, 2_494].map((n) => [{ field: 'metadata.n', from: n - 1, to: n }]),
    );
    expect(pages).to.deep.equal([1_000, 1_000, 501]);
    expect(work).to.be.closeTo(2_501 / 250, 0.01);
    expect(
      (await histories.ofRun(wholeTeam(team), run_id, { ...everything, offset: 2_501 })).items,
    ).to.deep.equal([]);
  });

  it('count large events as more work, and read them in small pages', async () => {
    const { histories, pages, team, run_id } = await givenDescriptions(200, { text: 'x'.repeat(60_000) });
    const { items, total, work } = await histories.ofRun(wholeTeam(team), run_id, everything);
    expect([items.length, total]).to.deep.equal([100, 201]);
    expect(Math.max(...pages)).to.be.at.most(20);
    // 12 MB, by 256 KiB.
    expect(work).to.be.within(40, 50);
  });

  it('take only items that took effect', async () => {
    const made = await givenRun(stores.log);
    const { histories } = open(made.commands);
    const { run_id, result_ids } = await givenSubmission(stores.log, made, [{}], { takesEffect: false });
    for (const read of [
      () => histories.ofResult(wholeTeam(made.team), result_ids[0]!, everything),
      () => histories.ofRun(wholeTeam(made.team), run_id, everything),
    ]) {
      expect(await read().catch((error: unknown) => isAppError(error, 'not_found'))).to.equal(true);
    }
  });
});
