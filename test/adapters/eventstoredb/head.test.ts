import { expect } from 'chai';
import { closedLog } from '../../../src/adapters/eventstoredb/errors.js';
import { openHeads, type Heads } from '../../../src/adapters/eventstoredb/head.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import type { EsdbReader } from '../../../src/adapters/eventstoredb/read.js';
import type { Tail } from '../../../src/adapters/eventstoredb/tail.js';
import { teamHeads } from '../../../src/adapters/eventstoredb/team-heads.js';
import type { Batch } from '../../../src/ports/event-log.js';
import type { RecordedEvent } from '../../../src/domain/event.js';
import { newEvent, until } from '../../contract/event-log/events.js';

const at = (position: number): string => String(position).padStart(20, '0');
const eventAt = (position: number): RecordedEvent => ({
  ...newEvent(),
  stream: 'run-team_1.x',
  revision: 0,
  position: at(position),
});

describe('the event log: EventStoreDB: the head of a team that wrote nothing since the log was opened', () => {
  let open: boolean;
  /** The pages that were requested. The test decides when each one is answered. */
  let pages: { after: string; answer(batch: Batch): void }[];
  let heads: Heads;
  beforeEach(() => {
    open = true;
    pages = [];
    const known = { position: at(100), covered: at(100) };
    heads = openHeads({
      reader: { newest: () => Promise.resolve(known) } as Partial<EsdbReader> as EsdbReader,
      readPage: ({ after }) => new Promise((answer) => pages.push({ after, answer })),
      tail: {
        known: () => known,
        teams: teamHeads(at(100)),
        reached: () => Promise.resolve(),
      } as Partial<Tail> as Tail,
      names: streamNames(null),
      mustBeOpen: () => {
        if (!open) throw closedLog();
      },
    });
  });
  const page = (index: number) => until(`page ${index}`, () => pages[index] !== undefined);

  it('is searched once for all callers at that time, though each names another position', async () => {
    const first = heads.ofTeam('team_1', at(10));
    await page(0);
    const others = [20, 30, 40].map((since) => heads.ofTeam('team_1', at(since)));
    const ofAnother = heads.ofTeam('team_2', at(20));
    await page(1);
    pages[0]!.answer({ events: [eventAt(15)], position: at(100), caughtUp: true });
    pages[1]!.answer({ events: [], position: at(100), caughtUp: true });
    expect(await first).to.equal(at(15));
    // The answer is not after the caller's position: any position up to that is right.
    for (const [n, head] of (await Promise.all(others)).entries())
      expect(head <= at(20 + n * 10)).to.equal(true);
    expect(await ofAnother).to.equal(at(20));
    expect(pages.map(({ after }) => after)).to.deep.equal([at(10), at(20)]);
  });

  it('is searched again for a caller whose position is before that of the search under way', async () => {
    const late = heads.ofTeam('team_1', at(50));
    await page(0);
    const early = heads.ofTeam('team_1', at(10));
    await page(1);
    pages[0]!.answer({ events: [], position: at(100), caughtUp: true });
    pages[1]!.answer({ events: [eventAt(15)], position: at(100), caughtUp: true });
    expect(await late).to.equal(at(50));
    expect(await early).to.equal(at(15));
  });

  it('is not searched any longer when the log is closed', async () => {
    const head = heads.ofTeam('team_1', at(10)).catch((error: unknown) => error);
    await page(0);
    open = false;
    pages[0]!.answer({ events: [], position: at(50), caughtUp: false });
    expect(await head).to.include({ code: 'log_unavailable' });
    expect(pages).to.have.length(1);
  });
});
