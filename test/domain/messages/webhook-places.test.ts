import { expect } from 'chai';
import { webhookPlaces } from '../../../src/domain/messages/webhook-places.js';
import type { WebhookPlaceEvent } from '../../../src/domain/events.js';
import { limits } from '../../../src/limits.js';
import { specification, type Happened } from '../given.js';
import { idOf } from '../ids.js';

const given = specification(webhookPlaces);
const id = (n: number) => idOf('webhook', n);
const reserve = (n: number, released: number[] = []) =>
  ({ type: 'ReserveWebhook', webhook_id: id(n), released: released.map(id) }) as const;
const reserved = (n: number, released: number[] = []): Happened<WebhookPlaceEvent> => ({
  type: 'WebhookReserved',
  data: { webhook_id: id(n), released: released.map(id) },
});
const full = Array.from({ length: limits.webhooksPerTeam }, (_, n) => reserved(n));

describe('the places of the webhooks of a team', () => {
  it('are taken one by one, until there is none left', () => {
    given(...full.slice(1))
      .when(reserve(100))
      .happens(reserved(100));
    given(...full)
      .when(reserve(100))
      .refused('webhook_limit');
  });

  it('are free again once they are released', () => {
    given(...full)
      .when(reserve(100, [3, 4]))
      .happens(reserved(100, [3, 4]));
    const { taken } = given(...full, reserved(100, [3, 4])).state();
    expect(taken.map(({ webhook_id }) => webhook_id)).to.not.include(id(3));
    expect(taken).to.have.length(limits.webhooksPerTeam - 1);
  });

  it('are taken once by one webhook', () =>
    given(...full)
      .when(reserve(7))
      .nothingHappens());
});
