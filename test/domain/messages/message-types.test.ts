import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  draftsOf,
  messageTypes,
  messageTypesOf,
  possibleMessages,
  subscribableTypes,
  type Occurrence,
} from '../../../src/domain/messages/message-types.js';

type Enums = { $defs: Record<'webhookEvent' | 'messageType', { enum: string[] }> };

describe('the types of webhook messages', () => {
  it('keep their orders for ever, because the orders are stored', () => {
    const orders = Object.fromEntries(Object.entries(messageTypes).map(([type, { order }]) => [type, order]));
    expect(orders).to.deep.include({
      'test.failed': 0,
      'test.recovered': 1,
      'test.flaky': 2,
      'run.completed': 3,
      'webhook.ping': 4,
      'group.failed': 5,
    });
  });

  it('have an order each', () => {
    const orders = Object.values(messageTypes).map(({ order }) => order);
    expect(new Set(orders).size).to.equal(orders.length);
  });

  it('are those of the schemas of deliveries, and of webhooks where they may subscribe to them', () => {
    const file = new URL('../../../../schemas/common.json', import.meta.url);
    const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as Enums;
    expect($defs.webhookEvent.enum).to.have.members([...subscribableTypes, '*']);
    expect($defs.messageType.enum).to.have.members(Object.keys(messageTypes));
  });

  it('come in their order from one event', () => {
    expect(messageTypesOf.get('ResultFinished')).to.deep.equal([
      'test.failed',
      'test.recovered',
      'test.flaky',
    ]);
    expect(messageTypesOf.get('RunCompleted')).to.deep.equal(['run.completed', 'group.failed']);
    expect(messageTypesOf.has('RunCreated')).to.equal(false);
  });

  it('have the events that may be looked for by their cause, and no others', () => {
    const cause = '00000000-0000-4000-8000-000000000001';
    const test = 'test_01h455vb4pex5vsknk084sn02q';
    const drafts = drafted(cause, test);
    expect(drafts).to.have.length(4);
    expect(possibleMessages({ type: 'ResultFinished', id: cause }, test)).to.have.members(drafts.slice(0, 3));
    expect(possibleMessages({ type: 'RunCompleted', id: cause }, null)).to.deep.equal([drafts[3]]);
    expect(possibleMessages({ type: 'RunCreated', id: cause }, null)).to.deep.equal([]);
    expect(possibleMessages({ type: 'ArtifactCreated', id: cause }, test)).to.deep.equal([]);
  });
});

/** The UUIDs of the messages that the triggers draft for a result and for a run, in their order. */
function drafted(id: string, test_id: string): (string | undefined)[] {
  const result = {
    test_result_id: 'result_1',
    test_run_id: null,
    project_id: 'project_1',
    test_name: 'login',
  };
  const finished = { type: 'ResultFinished', id, change: { test_id, result, entry: { status: 'Failed' } } };
  const transitions = [
    { type: 'TestRecovered', failure: 'result_0' },
    { type: 'TestBecameFlaky', rule: 'same_commit', evidence: [] },
  ];
  const completed = {
    type: 'RunCompleted',
    id,
    data: { run_id: 'run_1', project_id: 'project_1', completion: 1 },
  };
  const ofResult = { event: finished, transitions, counts: null } as unknown as Occurrence;
  const ofRun = { event: completed, transitions: [], counts: {} } as unknown as Occurrence;
  const ofResults = (['test.failed', 'test.recovered', 'test.flaky'] as const).map(
    (type) => draftsOf(type, ofResult)[0]?.uuid,
  );
  return [...ofResults, draftsOf('run.completed', ofRun)[0]?.uuid];
}
