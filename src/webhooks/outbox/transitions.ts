/** The events that follow for a test: made, and appended to the test's stream exactly once. */
import type { Trigger } from '../../../projections/messages.js';
import { streamName, type NewEvent, type StreamName } from '../../domain/event.js';
import { currentVersion } from '../../domain/event-versions.js';
import type { Fact, TestEvent } from '../../domain/events.js';
import { transitionId } from '../../domain/test.js';
import type { Transition } from '../../domain/test-history.js';
import { fail, isLedgerError } from '../../errors.js';
import type { EventLog } from '../../ports/event-log.js';
import { wholeStream } from './whole-stream.js';

export type TestTransition = {
  stream: StreamName;
  event: NewEvent;
  /** Of the event before it in the stream, as the fold counts them; -1 for none. */
  before: number;
};

/** What follows from an event, in order. */
export function transitionsOf({ event, transitions, first }: Trigger): TestTransition[] {
  const { told, meta, id: cause } = event;
  if (told === undefined) return [];
  const { test_id } = told;
  return transitions.map((transition, n) => ({
    stream: streamName('test', meta.team_id, test_id),
    before: first + n - 1,
    event: {
      id: transitionId(test_id, cause, transition.type),
      ...factOf(transition, told),
      version: currentVersion(transition.type),
      meta: { ...meta, actor: 'system', causation_id: cause },
    },
  }));
}

function factOf(
  transition: Transition,
  { test_id, result, entry }: NonNullable<Trigger['event']['told']>,
): Fact<TestEvent> {
  const { project_id, test_name, test_run_id: run_id, test_result_id: result_id } = result;
  const data = { test_id, project_id, test_name, run_id, result_id };
  switch (transition.type) {
    case 'TestRecovered': {
      const { type, failure } = transition;
      return { type, data: { ...data, branch: entry?.branch ?? null, failure } };
    }
    case 'TestBecameFlaky': {
      const { type, rule, evidence } = transition;
      return { type, data: { ...data, rule, evidence } };
    }
    case 'TestStabilised':
      return { type: transition.type, data };
  }
}

const TRIES = 8;

/**
 * Appends one, unless it is there. Where the fold has lost count of the stream (a rule was changed since), the stream
 * says itself where it ends. @throws LedgerError `log_unavailable`
 */
export async function appendTransition(
  log: Pick<EventLog, 'append' | 'readStream'>,
  { stream, event, before }: TestTransition,
): Promise<void> {
  let revision = before;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      await log.append(stream, revision < 0 ? 'none' : revision, [event]);
      return;
    } catch (error) {
      if (!isLedgerError(error, 'wrong_revision')) throw error;
    }
    const there = await wholeStream(log, stream);
    if (there.some(({ id }) => id === event.id)) return;
    revision = there.at(-1)?.revision ?? -1;
  }
  fail('write_conflict', `Others keep writing to ${stream}.`);
}
