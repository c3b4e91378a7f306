import { wholeTeam } from '../../../src/domain/teams/access.js';
import { expect } from 'chai';
import { idsFrom, newIds, newSeed } from '../../../src/commands/ids.js';
import { openCommandHandler } from '../../../src/commands/command-handler.js';
import { webhookPlaces, webhookPlacesStream } from '../../../src/domain/messages/webhook-places.js';
import { isAppError } from '../../../src/errors.js';
import { limits } from '../../../src/limits.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { openSecrets } from '../../../src/webhooks/endpoint/secrets.js';
import { openWebhooks } from '../../../src/webhooks/endpoint/webhooks.js';
import { refusal } from '../../contract/event-log/events.js';
import { contextOf, embeddedStores, eventually, NOW } from '../../stores.js';
import { memoryDeliveries } from '../deliveries.memory.js';

const wanted = { url: 'https://example.org/hook', events: ['*'], project_ids: null } as const;

describe('the limit of webhooks of a team', () => {
  const stores = embeddedStores('each suite');
  const open = (log: EventLog = stores.log) =>
    openWebhooks({
      commands: openCommandHandler(log),
      state: stores.state,
      deliveries: memoryDeliveries(),
      secrets: openSecrets(stores.state, {
        current: 'of the tests alone: 32 characters or more',
        previous: null,
      }),
      origin: null,
    });
  const placesOf = async (team: string) =>
    (await openCommandHandler(stores.log).load(webhookPlaces, webhookPlacesStream(team))).taken;
  it('holds for requests at once, on two nodes', async () => {
    const team = newIds.created('team');
    const nodes = [open(), open()];
    const makers = Array.from({ length: limits.webhooksPerTeam + 10 }, (_, n) => n);
    const outcomes = await Promise.allSettled(
      makers.map((n) => nodes[n % 2]!.create(contextOf(team), wanted)),
    );
    const made = outcomes.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.record.webhook_id] : [],
    );
    const refused = outcomes.filter((each) => each.status === 'rejected');
    expect(made).to.have.length(limits.webhooksPerTeam);
    expect(refused.every(({ reason }) => isAppError(reason, 'webhook_limit'))).to.equal(true);
    await open().remove(contextOf(team), { id: made[3]!, reader: wholeTeam(team) });
    await open().create(contextOf(team), wanted);
    await refusal(open().create(contextOf(team), wanted), 'webhook_limit');
  });

  it('counts a webhook whose request died for a minute, and that request cannot create it later', async () => {
    const team = newIds.created('team');
    const dead = contextOf(team, { ids: idsFrom(newSeed()) });
    let goOn = () => undefined as void;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const log: EventLog = {
      ...stores.log,
      append: async (...append) => {
        if (append[0] !== webhookPlacesStream(team)) await held;
        return stores.log.append(...append);
      },
    };
    const late = open(log).create(dead, wanted);
    await eventually('it has a place', async () => (await placesOf(team)).length === 1);
    for (let n = 1; n < limits.webhooksPerTeam; n += 1) await open().create(contextOf(team), wanted);
    await refusal(open().create(contextOf(team), wanted), 'webhook_limit');
    const later = new Date(Date.parse(NOW) + 61_000).toISOString();
    await open().create(contextOf(team, { at: later }), wanted);
    goOn();
    await refusal(late, 'webhook_limit');
  });
});
