import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  draftsOf,
  messageTypes,
  messageTypesOf,
  possibleMessages,
  subscribableTypes,
} from '../../../src/domain/messages/message-types.js';

import type { Occurrence } from '../../../src/domain/messages/message-spec.js';

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
      'test.broken': 6,
      'test.stabilised': 7,
      'known_failure.set': 8,
      'known_failure.ended': 9,
      'group.new': 10,
      'group.gone': 11,
      'group.back': 12,
      'run.incomplete': 13,
      'main.red': 14,
      'main.green': 15,
      'digest.daily': 16,
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
      'test.broken',
      'test.stabilised',
      'group.new',
    ]);
    expect(messageTypesOf.get('RunCompleted')).to.deep.equal([
      'run.completed',
      'group.failed',
      'group.gone',
      'group.back',
      'run.incomplete',
      'main.red',
      'main.green',
    ]);
    expect(messageTypesOf.has('RunCreated')).to.equal(false);
  });

  it('have the events that may be looked for by their cause, and no others', () => {
    const cause = '00000000-0000-4000-8000-000000000001';
    const test = 'test_01h455vb4pex5vsknk084sn02q';
    const none = { test: null, group: null, run: null, project: null };
    const ofRun = {
      test: null,
      group: null,
      run: 'run_01h455vb4pex5vsknk084sn02q',
      project: 'project_01h455vb4pex5vsknk084sn02q',
    };
    const drafts = drafted(cause, test, ofRun);
    expect(drafts).to.have.length(9);
    expect(possibleMessages({ type: 'ResultFinished', id: cause }, { ...none, test })).to.have.members(
      drafts.slice(0, 5),
    );
    expect(possibleMessages({ type: 'RunCompleted', id: cause }, ofRun)).to.have.members(drafts.slice(5));
    expect(possibleMessages({ type: 'RunCreated', id: cause }, none)).to.deep.equal([]);
    expect(possibleMessages({ type: 'ArtifactCreated', id: cause }, { ...none, test })).to.deep.equal([]);
  });
});

/** The UUIDs of the messages that the triggers draft for a result and for a run, in their order. */
function drafted(
  id: string,
  test_id: string,
  ofRun: { run: string; project: string },
): (string | undefined)[] {
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
    { type: 'TestBecameBroken' },
    { type: 'TestStabilised' },
  ];
  const data = { run_id: ofRun.run, project_id: ofRun.project };
  const completed = { type: 'RunCompleted', id, data: { ...data, completion: 1 } };
  const followed = [
    { type: 'RunFoundIncomplete', data: { ...data, total: 2, missing: [2] } },
    { type: 'MainTurnedRed', data, about: {} },
    { type: 'MainTurnedGreen', data, about: {} },
  ];
  const occurrenceOfResult = {
    event: finished,
    transitions,
    followed: [],
    counts: null,
  } as unknown as Occurrence;
  const occurrenceOfRun = {
    event: completed,
    transitions: [],
    followed,
    counts: {},
  } as unknown as Occurrence;
  const ofResult = ['test.failed', 'test.recovered', 'test.flaky', 'test.broken', 'test.stabilised'] as const;
  const ofCompletion = ['run.completed', 'run.incomplete', 'main.red', 'main.green'] as const;
  return [
    ...ofResult.map((type) => draftsOf(type, occurrenceOfResult)[0]?.uuid),
    ...ofCompletion.map((type) => draftsOf(type, occurrenceOfRun)[0]?.uuid),
  ];
}
