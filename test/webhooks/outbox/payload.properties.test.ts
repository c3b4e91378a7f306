import { plainContents } from '../../plain-contents.js';
import { chunkedLog } from '../../../src/log/chunked-log.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { openFeed } from '../../../src/log/feed.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { openRenderer } from '../../../src/webhooks/outbox/payload.js';
import { START } from '../../../src/domain/event.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { randomHistories } from '../../domain/random-histories.js';
import { chunkEvents } from '../../domain/item-chunks.js';
import { openOutboxHarness } from './outbox-harness.js';
import { unitsOf } from './units.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe('the payload of a message, read from a log', function () {
  it('is the same bytes at any time, with any other messages', async () => {
    const seen = new Set<string>();
    const wanted = [
      'test.failed result',
      'test.recovered result',
      'run.completed run',
      'webhook.ping webhook',
    ];
    // Random histories may leave out a type now and then: 25 more follow then, up to 300.
    for (
      let rounds = 0;
      rounds === 0 || (rounds < 12 && !wanted.every((each) => seen.has(each)));
      rounds += 1
    ) {
      await holdsForRandomHistories(seen);
    }
    expect([...seen]).to.include.members(wanted);
  });

  async function holdsForRandomHistories(seen: Set<string>): Promise<void> {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), sizes, async ({ events }, pages) => {
        await onLog(async (log) => {
          const fed: LedgerEvent[] = [];
          const passing = openOutboxHarness(fed, { ...log, appended: () => [] });
          const first = new Map<string, string>();
          const units = unitsOf(events);
          for (let from = 0, n = 0; from < units.length; n += 1) {
            const size = pages[n % pages.length]!;
            for (const unit of units.slice(from, (from += size))) await append(log, unit);
            await feed(log, fed);
            await passing.run();
            const happened = passing.passed().messages.filter(({ event_id }) => !first.has(event_id));
            for (const { event_id, body } of await openRenderer(log, plainContents)(happened))
              first.set(event_id, body);
          }
          const { messages } = passing.passed();
          for (const { type, about } of messages) seen.add(`${type} ${about.kind}`);
          const after = openRenderer(log, plainContents);
          const together = await after(messages);
          expect(together.map(({ event_id, body }) => [event_id, body])).to.deep.equal([...first]);
          const [one] = await after(messages.slice(-1));
          expect(one).to.deep.equal(together.at(-1));
        });
      }),
      { numRuns: 12 },
    );
  }
});

async function append(log: EventLog, unit: readonly LedgerEvent[]): Promise<void> {
  const items = unit.flatMap((event) => (event.type === 'ResultSubmitted' ? [event] : []));
  if (items.length > 0) {
    const { stream, meta } = items[0]!;
    const data = items.map((item) => item.data);
    await log.append(stream, 'none', chunkEvents(stream, data, meta));
  }
  const [first, ...others] = unit.filter(({ type }) => type !== 'ResultSubmitted');
  const bare = [first!, ...others].map(({ id, type, version, data, meta }) => {
    return { id, type, version, data, meta };
  });
  await log.append(first!.stream, first!.revision === 0 ? 'none' : first!.revision - 1, bare);
}

/** Adds the events since the last one. */
async function feed(log: EventLog, fed: LedgerEvent[]): Promise<void> {
  const reading = openFeed(log);
  for (let after = fed.at(-1)?.position ?? START, caughtUp = false; !caughtUp;) {
    const page = await reading.read({ after, limit: 1_000 });
    fed.push(...(page.events as LedgerEvent[]));
    ({ position: after, caughtUp } = page);
  }
}

async function onLog(work: (log: EventLog) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-rendering-'));
  const log = chunkedLog(await openSqliteLog({ folder, mode: 'writer' }));
  try {
    await work(log);
  } finally {
    await log.close();
    await rm(folder, { recursive: true });
  }
}
