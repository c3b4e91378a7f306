import { expect } from 'chai';
import * as fc from 'fast-check';
import { withWebhookEvent, type TeamWebhooksDocument } from '../../projections/outbox/team-webhooks.js';
import { teamWebhooks as folded } from '../../projections/outbox/team-webhooks.js';
import type { LedgerEvent, WebhookEvent } from '../../src/domain/events.js';
import { openMemoryLedger, type MemoryLedger } from '../domain/memory-ledger.js';
import { randomHistories } from '../domain/random-histories.js';
import { fold } from './folding.js';
import { modelOf } from './model.js';

async function webhooksOf({ events }: Pick<MemoryLedger, 'events'>, team: string) {
  const text = (await fold(events, [3], folded)).texts.get(`team_webhooks/${team}`);
  return text === undefined ? null : (JSON.parse(text) as TeamWebhooksDocument).webhooks;
}

describe('the webhooks of a team in the outbox', () => {
  it('exist from their creation on, with their subscriptions', async () => {
    const ledger = openMemoryLedger();
    const [team, other] = [ledger.team(), ledger.team()];
    const one = ledger.webhook(team, ['test.failed', 'run.completed']);
    const since = ledger.events.at(-1)!.position;
    ledger.webhook(other, ['*']);
    expect(await webhooksOf(ledger, team)).to.deep.equal([
      {
        webhook_id: one.id,
        events: ['test.failed', 'run.completed'],
        project_ids: null,
        enabled: true,
        since,
      },
    ]);
  });

  it('have the position of their last enabling, and keep their place in the list', async () => {
    const ledger = openMemoryLedger();
    const team = ledger.team();
    const [one, two] = [ledger.webhook(team), ledger.webhook(team)];
    const created = ledger.events.filter(({ type }) => type === 'WebhookCreated');
    const [first, second] = created.map(({ position }) => position);
    ledger.commandWebhook(one, { type: 'DisableWebhook', reason: 'gone' });
    const disabled = await webhooksOf(ledger, team);
    expect(disabled?.map(({ enabled, since }) => [enabled, since])).to.deep.equal([
      [false, first],
      [true, second],
    ]);
    ledger.commandWebhook(one, { type: 'ChangeWebhook', enabled: true, events: ['test.flaky'] });
    const since = ledger.events.at(-1)!.position;
    expect(await webhooksOf(ledger, team)).to.deep.equal([
      { webhook_id: one.id, events: ['test.flaky'], project_ids: null, enabled: true, since },
      { webhook_id: two.id, events: ['*'], project_ids: null, enabled: true, since: second },
    ]);
  });

  it('are removed by a deletion', async () => {
    const ledger = openMemoryLedger();
    const team = ledger.team();
    const [one, two] = [ledger.webhook(team), ledger.webhook(team)];
    ledger.commandWebhook(one, { type: 'DeleteWebhook' });
    expect((await webhooksOf(ledger, team))?.map(({ webhook_id }) => webhook_id)).to.deep.equal([two.id]);
    ledger.commandWebhook(two, { type: 'DeleteWebhook' });
    expect(await webhooksOf(ledger, team)).to.deep.equal([]);
  });

  it('are not changed by a ping, a rotation of the secret or another URL', async () => {
    const ledger = openMemoryLedger();
    const team = ledger.team();
    const one = ledger.webhook(team);
    const document = (await fold(ledger.events, [1], folded)).texts;
    ledger.commandWebhook(one, { type: 'PingWebhook' });
    ledger.rotateSecret(one);
    ledger.commandWebhook(one, { type: 'ChangeWebhook', sealed: 'another' });
    const [pinged, rotated, changed] = ledger.events.slice(-3);
    expect([pinged, rotated].flatMap((event) => folded.touches(event!))).to.deep.equal([]);
    const present = { webhooks: [] };
    for (const event of [pinged, rotated, changed]) {
      expect(withWebhookEvent(present, event as LedgerEvent<WebhookEvent>)).to.equal(present);
    }
    expect((await fold(ledger.events, [1], folded)).texts).to.deep.equal(document);
  });

  it('equal those of the read model, for any history', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories(60), fc.integer({ min: 1, max: 9 }), async ({ events }, size) => {
        const listed = [...modelOf(events)].filter(([name]) => name.startsWith('webhooks/'));
        const expected = listed.map(([, document]) => {
          const { webhook_id, events, project_ids, enabled, since } = document as never;
          return JSON.stringify({ webhook_id, events, project_ids, enabled, since });
        });
        const { texts } = await fold(events, [size], folded);
        const found = [...texts.values()].flatMap(
          (text) => (JSON.parse(text) as TeamWebhooksDocument).webhooks,
        );
        const shown = found.map(({ webhook_id, events, project_ids, enabled, since }) =>
          JSON.stringify({ webhook_id, events, project_ids, enabled, since }),
        );
        expect(shown.sort()).to.deep.equal(expected.sort());
      }),
      { numRuns: 60 },
    );
  });
});
