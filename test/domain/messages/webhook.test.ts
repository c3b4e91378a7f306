import { expect } from 'chai';
import type { WebhookEvent } from '../../../src/domain/events.js';
import { mustBePresent } from '../../../src/domain/life.js';
import type { MessageType } from '../../../src/domain/messages/message-types.js';
import { isSubscribed, webhook, type Subscription } from '../../../src/domain/messages/webhook.js';
import { NOW, refusalOf, specification, type Happened } from '../given.js';
import { idOf } from '../ids.js';
import { failureIn } from './failure.js';

const given = specification(webhook);
const webhook_id = idOf('webhook');
const [origin, sealed] = ['https://example.org', 'sealed'];
const created: Happened<WebhookEvent> = {
  type: 'WebhookCreated',
  data: { webhook_id, origin, sealed, events: ['test.failed', 'run.completed'], project_ids: null },
};
const enabled: Happened<WebhookEvent> = { type: 'WebhookEnabled', data: { webhook_id } };
const deleted: Happened<WebhookEvent> = { type: 'WebhookDeleted', data: { webhook_id } };
const disabled = (reason: 'requested' | 'gone' | 'failing') =>
  ({ type: 'WebhookDisabled', data: { webhook_id, reason } }) as const;
const create = {
  type: 'CreateWebhook',
  webhook_id,
  origin,
  sealed,
  events: ['test.failed', 'run.completed'],
  project_ids: null,
} as const;

describe('a webhook', () => {
  it('begins enabled, with its events in the order given', () => {
    given().when(create).happens({ type: 'WebhookCreated', data: created.data });
    expect(given(created).state()).to.deep.include({
      webhook_id,
      origin,
      sealed,
      events: ['test.failed', 'run.completed'],
      enabled: true,
      disabled_reason: null,
    });
  });

  it('is refused if the webhook exists or existed', () => {
    given(created).when(create).refused('write_conflict');
    given(created, deleted).when(create).refused('write_conflict');
  });

  it('records only the fields that differ', () => {
    const changed = (data: object) => ({ type: 'WebhookChanged', data: { webhook_id, ...data } }) as const;
    given(created)
      .when({
        type: 'ChangeWebhook',
        origin,
        sealed: 'another',
        events: ['test.failed', 'run.completed'],
      })
      .happens(changed({ sealed: 'another' }));
    given(created)
      .when({ type: 'ChangeWebhook', sealed, events: ['run.completed', 'test.failed'] })
      .happens(changed({ events: ['run.completed', 'test.failed'] }));
    given(created)
      .when({ type: 'ChangeWebhook', events: ['*'], enabled: false })
      .happens(changed({ events: ['*'] }), disabled('requested'));
    given(created)
      .when({ type: 'ChangeWebhook', events: ['*'] })
      .changes({ events: ['*'] });
  });

  it('has the reason why it is disabled, until it is enabled', () => {
    given(created)
      .when({ type: 'ChangeWebhook', enabled: false })
      .changes({ enabled: false, disabled_reason: 'requested' });
    for (const reason of ['gone', 'failing'] as const) {
      given(created).when({ type: 'DisableWebhook', reason }).happens(disabled(reason));
      given(created)
        .when({ type: 'DisableWebhook', reason })
        .changes({ enabled: false, disabled_reason: reason });
      given(created, disabled(reason)).when({ type: 'ChangeWebhook', enabled: true }).happens({
        type: 'WebhookEnabled',
        data: { webhook_id },
      });
    }
    given(created, disabled('gone'))
      .when({ type: 'ChangeWebhook', enabled: true })
      .changes({ enabled: true, disabled_reason: null });
  });

  it('is pinged only while it is enabled', () => {
    given(created).when({ type: 'PingWebhook' }).happens({ type: 'WebhookPinged', data: { webhook_id } });
    given(created, disabled('requested'), enabled)
      .when({ type: 'PingWebhook' })
      .happens({ type: 'WebhookPinged', data: { webhook_id } });
    given(created, disabled('failing')).when({ type: 'PingWebhook' }).refused('webhook_disabled');
  });

  it('gets a new secret at each rotation, even while it is disabled', () => {
    const rotate = { type: 'RotateSecret', previous_until: NOW } as const;
    const rotated = { type: 'WebhookSecretRotated', data: { webhook_id, previous_until: NOW } } as const;
    given(created).when(rotate).happens(rotated);
    given(created, rotated).when(rotate).happens(rotated);
    given(created, disabled('gone')).when(rotate).happens(rotated);
  });

  it('takes no command before its creation or after its deletion', () => {
    for (const history of [[], [created, deleted]]) {
      const nothing = given(...history);
      nothing.when({ type: 'ChangeWebhook', sealed }).refused('not_found');
      nothing.when({ type: 'ChangeWebhook' }).refused('not_found');
      nothing.when({ type: 'DisableWebhook', reason: 'gone' }).refused('not_found');
      nothing.when({ type: 'DeleteWebhook' }).refused('not_found');
      nothing.when({ type: 'RotateSecret', previous_until: NOW }).refused('not_found');
      nothing.when({ type: 'PingWebhook' }).refused('not_found');
      expect(refusalOf(() => mustBePresent(nothing.state(), 'webhook')).code).to.equal('not_found');
    }
    given(created).when({ type: 'DeleteWebhook' }).happens({ type: 'WebhookDeleted', data: { webhook_id } });
  });
});

describe('a subscription', () => {
  const types = ['test.failed', 'test.flaky', 'test.recovered', 'run.completed'] as const;
  const gets = (events: readonly Subscription[], type: MessageType) =>
    isSubscribed({ events, project_ids: null }, { type, about: failureIn('project_1') });

  it('selects events by their names, or all events', () => {
    for (const type of types) {
      expect(gets([type], type)).to.equal(true);
      expect(gets(['*'], type)).to.equal(true);
      expect(
        gets(
          types.filter((other) => other !== type),
          type,
        ),
      ).to.equal(false);
    }
  });

  it('selects no ping, which goes to one webhook only', () => {
    expect(gets(['*'], 'webhook.ping')).to.equal(false);
    expect(gets(['webhook.ping' as never], 'webhook.ping')).to.equal(false);
  });

  it('of some projects selects no message of another one', () => {
    const of = (project_id: string, project_ids: string[] | null) =>
      isSubscribed({ events: ['*'], project_ids }, { type: 'test.failed', about: failureIn(project_id) });
    expect(of('project_1', null)).to.equal(true);
    expect(of('project_1', ['project_2', 'project_1'])).to.equal(true);
    expect(of('project_1', ['project_2'])).to.equal(false);
  });
});
