import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { messageTypes, messageTypesOf } from '../../src/domain/message-types.js';

type Enum = { $defs: { webhookEvent: { enum: string[] } } };

describe('the types of webhook messages', () => {
  it('keep their orders for ever, because the orders are stored', () => {
    const orders = Object.fromEntries(Object.entries(messageTypes).map(([type, { order }]) => [type, order]));
    expect(orders).to.deep.include({
      'test.failed': 0,
      'test.recovered': 1,
      'test.flaky': 2,
      'run.completed': 3,
      'webhook.ping': 4,
    });
  });

  it('have an order each', () => {
    const orders = Object.values(messageTypes).map(({ order }) => order);
    expect(new Set(orders).size).to.equal(orders.length);
  });

  it('are the events of the schema, where webhooks may subscribe to them', () => {
    const file = new URL('../../../schemas/common.json', import.meta.url);
    const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as Enum;
    const subscribable = Object.entries(messageTypes)
      .filter(([, type]) => type.subscribable)
      .map(([name]) => name);
    expect($defs.webhookEvent.enum).to.have.members([...subscribable, '*']);
  });

  it('come in their order from one event', () => {
    expect(messageTypesOf.get('ResultFinished')).to.deep.equal([
      'test.failed',
      'test.recovered',
      'test.flaky',
    ]);
    expect(messageTypesOf.get('RunCompleted')).to.deep.equal(['run.completed']);
    expect(messageTypesOf.has('RunCreated')).to.equal(false);
  });
});
