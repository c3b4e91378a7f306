import { expect } from 'chai';
import { newIds } from '../../../src/commands/ids.js';
import { streamName, type RecordedEvent } from '../../../src/domain/event.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { closedDaysStream, dueAt, newestDue } from '../../../src/domain/messages/closed-days.js';
import { webhook, type WebhookCommand } from '../../../src/domain/messages/webhook.js';
import { streamPages } from '../../../src/log/streams.js';
import { openCloseDays } from '../../../src/webhooks/digests/close-days.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { DAY_MS, openRetained, type Retained } from '../../retention/given.js';
import { openRenderer } from '../../../src/webhooks/outbox/payload.js';
import { filledFilter } from '../../../src/domain/messages/webhook-filter.js';
import { plainContents } from '../../plain-contents.js';
import { openMemoryLog } from '../outbox/memory-log.js';
import { foldOutbox, renderOf } from '../outbox/outbox-harness.js';

const HOUR_MS = 3_600_000;

describe('the days of a project', () => {
  let kept: Retained;
  let round: () => Promise<void>;
  beforeEach(async () => {
    kept = await openRetained();
    round = openCloseDays(kept);
  });
  afterEach(async () => {
    expect(kept.faults).to.deep.equal([]);
    await kept.close();
  });

  async function ask(events: readonly ['*'] | readonly ['digest.daily' | 'test.failed']): Promise<string> {
    const webhook_id = newIds.created('webhook');
    const endpoint = { origin: 'https://example.org', sealed: 'sealed' };
    await command(webhook_id, { type: 'CreateWebhook', webhook_id, ...endpoint, events, project_ids: null });
    return webhook_id;
  }

  async function command(id: string, wanted: WebhookCommand): Promise<void> {
    await kept.commands.execute(webhook, streamName('webhook', kept.team, id), kept.context(), wanted);
  }

  async function closed(): Promise<unknown[]> {
    await kept.caughtUp();
    await round();
    const events: RecordedEvent[] = [];
    const stream = closedDaysStream(kept.team, kept.project_id);
    for await (const page of streamPages(kept.log, stream)) events.push(...page);
    return events.map(({ data }) => (data as { day: string }).day);
  }

  it('are due at 08:00 UTC of the day after', () => {
    expect(dueAt('2026-11-21')).to.equal('2026-11-22T08:00:00.000Z');
    expect(newestDue('2026-11-22T07:59:59.999Z')).to.equal('2026-11-20');
    expect(newestDue('2026-11-22T08:00:00.000Z')).to.equal('2026-11-21');
  });

  it('are closed once each while a webhook asks for digests, and not before it did', async () => {
    await ask(['digest.daily']);
    expect(await closed()).to.deep.equal([]);
    kept.clock.forward(20 * HOUR_MS);
    expect(await closed()).to.deep.equal(['2026-11-21']);
    expect(await closed()).to.deep.equal(['2026-11-21']);
    // Another process, or the same one after a restart.
    round = openCloseDays(kept);
    expect(await closed()).to.deep.equal(['2026-11-21']);
    kept.clock.forward(DAY_MS);
    expect(await closed()).to.deep.equal(['2026-11-21', '2026-11-22']);
  });

  it('are not closed where no webhook asks, or only of other messages', async () => {
    await ask(['test.failed']);
    kept.clock.forward(2 * DAY_MS);
    expect(await closed()).to.deep.equal([]);
  });

  it('are closed later where no server ran, up to seven of them', async () => {
    await ask(['*']);
    kept.clock.forward(DAY_MS);
    expect(await closed()).to.deep.equal(['2026-11-21']);
    kept.clock.forward(3 * DAY_MS);
    expect(await closed()).to.deep.equal(['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24']);
    kept.clock.forward(20 * DAY_MS);
    expect((await closed()).slice(4)).to.deep.equal([
      '2026-12-08',
      '2026-12-09',
      '2026-12-10',
      '2026-12-11',
      '2026-12-12',
      '2026-12-13',
      '2026-12-14',
    ]);
  });

  it('are closed for a webhook that is disabled, which may recover their digests', async () => {
    const id = await ask(['*']);
    await command(id, { type: 'ChangeWebhook', enabled: false });
    kept.clock.forward(DAY_MS);
    expect(await closed()).to.deep.equal(['2026-11-21']);
  });
});

describe('the digest of a day that is closed late', () => {
  it('has the id and the bytes that it would have had', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    ledger.webhook(project.team, ['digest.daily']);
    const metadata = { branch: 'main' };
    ledger.submit(project, [{ test_name: 'pays', status: 'Failed', metadata: { owner: 'shop' } }], {
      metadata,
    });
    ledger.setKnownFailure(project, 'pays', { seconds: 86_400 });
    const before = [...ledger.events];
    ledger.closeDays(project, '2026-11-21');
    const inTime = ledger.events.at(-1)!;
    // The server comes back when the known failure is over, and runs of the next day are there.
    ledger.events.pop();
    ledger.expireKnownFailure(project, 'pays');
    const expired = ledger.events.splice(before.length);
    const late = { ...inTime, position: '9'.repeat(20) };
    const digestOf = async (events: readonly LedgerEvent[]) => {
      const { messages } = await foldOutbox(events);
      const [digest] = await renderOf(
        events,
        messages.filter(({ type }) => type === 'digest.daily'),
      );
      return digest!;
    };
    const [first, second] = [
      await digestOf([...before, inTime]),
      await digestOf([...before, ...expired, late]),
    ];
    expect(JSON.parse(first.body)).to.deep.include({
      type: 'digest.daily',
      timestamp: '2026-11-22T08:00:00.000Z',
    });
    expect(JSON.parse(first.body).data).to.deep.include({
      day: '2026-11-21',
      new: 1,
      fixed: 0,
      flaky: 0,
      known_ending: 1,
      lost_ms: 0,
      runs: 1,
      by_owner: [{ owner: 'shop', new: 1, fixed: 0, flaky: 0, known_ending: 1, lost_ms: 0 }],
    });
    expect(second.body).to.equal(first.body);
    expect(second.event_id).to.equal(first.event_id);
  });
});

describe('the digest of a day on which time was lost', () => {
  const failing = (test_name: string, execution_time_ms: number, owner: string | null) =>
    ({ test_name, status: 'Failed', execution_time_ms, metadata: { owner } }) as const;
  const passing = (test_name: string) => ({ test_name, status: 'Passed', attempt: 2 }) as const;
  const metadata = { branch: 'main', commit: 'c1' };

  async function digestOf(events: readonly LedgerEvent[], owners: string[] | null) {
    const { messages } = await foldOutbox(events);
    const filter = owners === null ? null : filledFilter({ owners });
    const render = openRenderer(openMemoryLog(events), plainContents);
    const digests = messages.filter(({ type }) => type === 'digest.daily');
    const [digest] = await render(digests, { per: 'test', filter });
    return JSON.parse(digest!.body).data;
  }

  it('says of how much, in all, for each owner, and for the owners of a filter', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    ledger.webhook(project.team, ['digest.daily']);
    const names = ['pays', 'refunds', 'signs in', 'breaks'];
    ledger.submit(
      project,
      [
        failing('pays', 60_000, 'checkout'),
        failing('refunds', 2_000, 'billing'),
        failing('signs in', 500, null),
        failing('breaks', 7_000, 'billing'),
      ],
      { metadata },
    );
    // Of the same commit: all but one of them were innocent. The time of the first run itself is lost with no owner.
    ledger.submit(project, [...names.slice(0, 3).map(passing), failing('breaks', 3_000, 'billing')], {
      metadata,
    });
    ledger.submit(project, [failing('pays', 1_000, 'payments')], {
      metadata: { branch: 'main', commit: 'c2' },
    });
    ledger.submit(project, [passing('pays')], { metadata: { branch: 'topic', commit: 'c2' } });
    ledger.closeDays(project, '2026-11-21');
    const all = await digestOf(ledger.events, null);
    expect(all.lost_ms).to.be.at.least(63_500);
    const byOwner = Object.fromEntries(
      (all.by_owner as { owner: string; lost_ms: number }[]).map(({ owner, lost_ms }) => [owner, lost_ms]),
    );
    // A test is of the owner that its newest failure names.
    expect(byOwner).to.deep.equal({ payments: 61_000, billing: 2_000, checkout: 0 });
    expect((await digestOf(ledger.events, ['payments'])).lost_ms).to.equal(61_000);
    expect((await digestOf(ledger.events, ['billing', 'checkout'])).lost_ms).to.equal(2_000);
  });
});
