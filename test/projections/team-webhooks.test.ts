import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  teamWebhooks as folded,
  withWebhookEvent,
  type TeamWebhooksDocument,
} from '../../projections/outbox.js';
import type { LedgerEvent, WebhookEvent } from '../../src/domain/events.js';
import { openPlay, type Play } from '../domain/play.js';
import { plays } from '../domain/play.random.js';
import { fold } from './folding.js';
import { modelOf } from './model.js';

async function webhooksOf({ events }: Pick<Play, 'events'>, team: string) {
  const text = (await fold(events, [3], folded)).texts.get(`team_webhooks/${team}`);
  return text === undefined ? null : (JSON.parse(text) as TeamWebhooksDocument).webhooks;
}

describe('the webhooks of a team in the outbox', () => {
  it('exist from their creation on, with their subscriptions', async () => {
    const play = openPlay();
    const [team, other] = [play.team(), play.team()];
    const one = play.webhook(team, ['test.failed', 'run.completed']);
    const since = play.events.at(-1)!.position;
    play.webhook(other, ['*']);
    expect(await webhooksOf(play, team)).to.deep.equal([
      { webhook_id: one.id, events: ['test.failed', 'run.completed'], enabled: true, since },
    ]);
  });

  it('have the position of their last enabling, and keep their place in the list', async () => {
    const play = openPlay();
    const team = play.team();
    const [one, two] = [play.webhook(team), play.webhook(team)];
    const [first, second] = play.events.slice(-2).map(({ position }) => position);
    play.hook(one, { type: 'DisableWebhook', reason: 'gone' });
    const disabled = await webhooksOf(play, team);
    expect(disabled?.map(({ enabled, since }) => [enabled, since])).to.deep.equal([
      [false, first],
      [true, second],
    ]);
    play.hook(one, { type: 'ChangeWebhook', enabled: true, events: ['test.flaky'] });
    const since = play.events.at(-1)!.position;
    expect(await webhooksOf(play, team)).to.deep.equal([
      { webhook_id: one.id, events: ['test.flaky'], enabled: true, since },
      { webhook_id: two.id, events: ['*'], enabled: true, since: second },
    ]);
  });

  it('are removed by a deletion', async () => {
    const play = openPlay();
    const team = play.team();
    const [one, two] = [play.webhook(team), play.webhook(team)];
    play.hook(one, { type: 'DeleteWebhook' });
    expect((await webhooksOf(play, team))?.map(({ webhook_id }) => webhook_id)).to.deep.equal([two.id]);
    play.hook(two, { type: 'DeleteWebhook' });
    expect(await webhooksOf(play, team)).to.deep.equal([]);
  });

  it('are not changed by a ping, a rotation of the secret or another URL', async () => {
    const play = openPlay();
    const team = play.team();
    const one = play.webhook(team);
    const document = (await fold(play.events, [1], folded)).texts;
    play.hook(one, { type: 'PingWebhook' });
    play.rotate(one);
    play.hook(one, { type: 'ChangeWebhook', url: 'https://example.org/other' });
    const [pinged, rotated, changed] = play.events.slice(-3);
    expect([pinged, rotated].flatMap((event) => folded.touches(event!))).to.deep.equal([]);
    const present = { webhooks: [] };
    for (const event of [pinged, rotated, changed]) {
      expect(withWebhookEvent(present, event as LedgerEvent<WebhookEvent>)).to.equal(present);
    }
    expect((await fold(play.events, [1], folded)).texts).to.deep.equal(document);
  });

  it('equal those of the read model, for any history', async () => {
    await fc.assert(
      fc.asyncProperty(plays(60), fc.integer({ min: 1, max: 9 }), async ({ events }, size) => {
        const listed = [...modelOf(events)].filter(([name]) => name.startsWith('webhooks/'));
        const expected = listed.map(([, document]) => {
          const { webhook_id, events, enabled, since } = document as never;
          return JSON.stringify({ webhook_id, events, enabled, since });
        });
        const { texts } = await fold(events, [size], folded);
        const found = [...texts.values()].flatMap(
          (text) => (JSON.parse(text) as TeamWebhooksDocument).webhooks,
        );
        const shown = found.map(({ webhook_id, events, enabled, since }) =>
          JSON.stringify({ webhook_id, events, enabled, since }),
        );
        expect(shown.sort()).to.deep.equal(expected.sort());
      }),
      { numRuns: 60 },
    );
  });
});
