import { expect } from 'chai';
import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { parseStreamName, streamName } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { deciders } from './deciders.js';
import { refusalOf } from './given.js';
import { randomHistories } from './random-histories.js';
import type { Step } from './memory-ledger.js';

/** The stream of the thing that the event is about. An item is in another stream than its result. */
const ownStream = ({ type, data, meta, stream }: LedgerEvent) =>
  type === 'ResultSubmitted' ? streamName('result', meta.team_id, data.result_id) : stream;
const categoryOf = (event: LedgerEvent) => parseStreamName(ownStream(event)).category;

describe('any sequence of commands', () => {
  it('is accepted or refused with a code, and changes none of its inputs', () => {
    // The ledger itself throws every fault that is not a refusal, and freezes every state and event.
    const codes = new Set<string>();
    fc.assert(
      fc.property(randomHistories(60), ({ refusals }) => {
        for (const code of refusals) codes.add(code);
      }),
      { seed: 1 },
    );
    expect([...codes].sort()).to.deep.equal([
      'already_superseded',
      'forbidden',
      'not_found',
      'shard_exists',
      'validation_failed',
      'webhook_disabled',
      'write_conflict',
    ]);
  });

  it('leaves the state that its events give when they are read back as JSON', () => {
    fc.assert(
      fc.property(randomHistories(60), ({ events, steps }) => {
        const last = new Map(steps.map((step) => [step.stream, step]));
        const stored = JSON.parse(JSON.stringify(events)) as LedgerEvent[];
        for (const { stream, decider, after } of last.values()) {
          const own = stored.filter((event) => ownStream(event) === stream);
          expect(own.reduce(decider.evolve, decider.initial)).to.deep.equal(after);
        }
      }),
    );
  });

  it('records in each event the status before and after', () => {
    fc.assert(fc.property(randomHistories(60), ({ steps }) => steps.forEach(expectTurns)));
  });

  it('takes effect once: the same command again changes nothing', () => {
    fc.assert(fc.property(randomHistories(60), ({ steps }) => steps.forEach(expectSettled)));
  });
});

describe('a decider', () => {
  for (const [name, decider] of Object.entries(deciders)) {
    it(`of a ${name} ignores events of other deciders, unknown events, and events before the first`, () => {
      fc.assert(
        fc.property(randomHistories(30), ({ events, steps }) => {
          const states = steps.filter((step) => step.decider === decider).map(({ after }) => after);
          const foreign = events.filter((event) => categoryOf(event) !== name);
          const unknown = { ...events[0]!, type: 'SomethingOfTomorrow', data: { status: 'Odd' } } as never;
          const late = events.filter(
            // The last one gives up the id of a webhook that was never created.
            ({ type }) =>
              !/Created|ResultSubmitted|ResultVoided|ArtifactAssigned|WebhookDeleted|KnownFailureSet|CauseChanged/.test(
                type,
              ),
          );
          for (const state of [decider.initial, ...states]) {
            const moved = [unknown, ...foreign].find((event) => decider.evolve(state, event) !== state);
            expect(moved, 'an event of another decider that changed something').to.equal(undefined);
          }
          const begun = late.find((event) => decider.evolve(decider.initial, event) !== decider.initial);
          expect(begun, 'a late event that began something').to.equal(undefined);
        }),
        { numRuns: 30 },
      );
    });
  }
});

function expectTurns({ facts, before, after }: Step): void {
  const statuses = [before, after].map((state) => (state as { status?: string }).status);
  for (const { type, data } of facts ?? []) {
    if (type === 'RunCompleted') {
      const counts = [before, after].map((state) => (state as { completions?: number }).completions ?? 0);
      expect([data.completion - 1, data.completion]).to.deep.equal(counts);
    }
    if ('previous_status' in data) expect([data.previous_status, data.status]).to.deep.equal(statuses);
  }
}

/**
 * A second creation is refused. All commands but start, finish and complete ask for a state, so a repeat changes
 * nothing.
 */
function expectSettled({ decider, command, facts, before, after }: Step): void {
  if (facts === null) return;
  const { type } = command;
  const making = [
    'CreateTeam',
    'CreateProject',
    'CreateRun',
    'SubmitRun',
    'CreateResult',
    'CreateArtifacts',
    'CreateWebhook',
  ];
  if (making.includes(type)) {
    expect(refusalOf(() => decider.decide(command, after)).code).to.equal('write_conflict');
  }
  const settled = [
    'ChangeProject',
    'ChangeTeam',
    'RevokeKey',
    'UpdateResult',
    'ClaimRetry',
    'VoidResult',
    'CompleteIdleRun',
    'AssignArtifact',
    'ConfirmArtifacts',
    'ExpireArtifact',
    'ChangeWebhook',
    'DisableWebhook',
    'ExpireKnownFailure',
  ];
  const turned = type === 'UpdateRun' && (command as { status?: string }).status !== 'Completed';
  if (settled.includes(type) || turned) {
    expect(decider.decide(command, after)).to.deep.equal([]);
  }
  // Recorded for others. The webhook itself does not change.
  if (type === 'PingWebhook' || type === 'RotateSecret') return;
  // How a cause stands is folded with its runs, in the history.
  if (facts.some(({ data }) => type === 'ChangeCause' && 'state' in data)) return;
  // There are events exactly if the state differs.
  expect(facts.length === 0).to.equal(isDeepStrictEqual(after, before));
}
