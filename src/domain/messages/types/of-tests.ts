/** The types of messages about tests and their results. */
import { environmentOf } from '../../environment.js';
import type { EventType, TestEvent } from '../../events.js';
import type { HistoryEvent, ResultChange } from '../../test-history/result-change.js';
import { transitionId } from '../../test-history/test.js';
import type { Transition } from '../../test-history/test-history.js';
import type {
  AboutFailure,
  AboutFlaky,
  AboutKnownFailure,
  AboutLine,
  AboutRecovery,
  AboutResult,
  AboutTest,
} from '../about.js';
import type { Draft } from '../draft.js';
import { bare, messageType, type Occurrence, type PayloadRecords } from '../message-spec.js';

/** The event types that can set a final status of a result. */
const resultEvents = [
  'ResultCreated',
  'ResultSubmitted',
  'ResultStarted',
  'ResultFinished',
  'ResultUpdated',
] as const satisfies readonly EventType[];

export const messagesOfTests = {
  'test.failed': messageType<AboutFailure>({
    order: 0,
    when: 'a test fails',
    subscribable: true,
    causes: resultEvents,
    transition: null,
    trigger(occurrence) {
      const { event, superseded } = occurrence;
      // Only the last attempt of a test counts, in a call as in a shard: the failure of an earlier one is no news.
      if (event.change?.entry?.status !== 'Failed' || superseded) return null;
      // A failure that a correction moved to another environment was told already.
      if (event.change.entry.again && isCorrection(event)) return null;
      const { test_id, group } = event.change;
      const about = { ...aboutResult(event.change, occurrence), group };
      return { uuid: event.id, subject: test_id, about };
    },
    render: async (about, records) => ({
      ...(await resultPayload(about, records)),
      group: about.group && { ...about.group, title: await records.title(about.group.title) },
      known: about.known,
    }),
  }),

  'test.recovered': messageType<AboutRecovery>({
    order: 1,
    when: 'a test passes again',
    subscribable: true,
    causes: resultEvents,
    transition: { type: 'TestRecovered', of: 'test' },
    trigger: (occurrence) =>
      ofTransition(occurrence, 'TestRecovered', ({ failure }, change) => ({
        ...aboutResult(change, occurrence),
        ...aboutLine(change),
        failure,
      })),
    async render(about, records) {
      const [data, failure] = await Promise.all([
        resultPayload(about, records),
        records.result(about.failure),
      ]);
      return { ...data, environment: about.environment, failure };
    },
  }),

  'test.flaky': messageType<AboutFlaky>({
    order: 2,
    when: 'a test becomes flaky',
    subscribable: true,
    causes: resultEvents,
    transition: { type: 'TestBecameFlaky', of: 'test' },
    trigger: (occurrence) =>
      ofTransition(occurrence, 'TestBecameFlaky', ({ rule, evidence }, change) => ({
        ...aboutTest(change, occurrence),
        // It passed as well.
        known: false,
        rule,
        evidence,
      })),
    async render({ test, environment, rule, evidence }, records) {
      return { test, environment, rule, evidence, project: await records.project(test.project_id) };
    },
  }),

  'test.broken': messageType<AboutTest>({
    order: 6,
    when: 'a test has failed in 20 runs in a row',
    subscribable: true,
    causes: resultEvents,
    transition: { type: 'TestBecameBroken', of: 'test' },
    trigger: (occurrence) =>
      ofTransition(occurrence, 'TestBecameBroken', (_, change) => aboutTest(change, occurrence)),
    render: testPayload,
  }),

  'test.stabilised': messageType<AboutTest>({
    order: 7,
    when: 'a flaky or broken test is stable again',
    subscribable: true,
    causes: resultEvents,
    transition: { type: 'TestStabilised', of: 'test' },
    trigger: (occurrence) =>
      ofTransition(occurrence, 'TestStabilised', (_, change) => aboutTest(change, occurrence)),
    render: testPayload,
  }),

  'known_failure.set': messageType<AboutKnownFailure>({
    order: 8,
    when: 'somebody says that a failure is known',
    subscribable: true,
    causes: ['KnownFailureSet'],
    transition: null,
    trigger: ({ event, knownFailure }) =>
      knownFailure === null ? null : aboutKnownFailure(event.id, { ...knownFailure, ended: null }),
    render: knownFailurePayload,
  }),

  'known_failure.ended': messageType<AboutKnownFailure>({
    order: 9,
    when: 'a known failure ends',
    subscribable: true,
    causes: ['KnownFailureEnded'],
    transition: null,
    trigger: ({ event, knownFailure }) =>
      knownFailure === null || event.type !== 'KnownFailureEnded'
        ? null
        : aboutKnownFailure(event.id, { ...knownFailure, ended: event.data.ended }),
    render: async (about, records) => ({
      ...(await knownFailurePayload(about, records)),
      ended: about.ended,
    }),
  }),
};

function ofTransition<T extends TestEvent, A extends AboutResult | AboutTest>(
  { event: { id, change }, transitions }: Occurrence,
  type: T,
  about: (transition: Extract<Transition, { type: T }>, change: ResultChange) => A,
): Draft<A> | null {
  const found = transitions.find((one): one is Extract<Transition, { type: T }> => one.type === type);
  if (change === undefined || found === undefined) return null;
  const { test_id } = change;
  return { uuid: transitionId(test_id, id, type), subject: test_id, about: about(found, change) };
}

/** Whether a change of a result leaves its status. */
function isCorrection({ data }: HistoryEvent): boolean {
  return 'previous_status' in data && 'status' in data && data.previous_status === data.status;
}

function aboutLine({ entry }: ResultChange): AboutLine {
  return { environment: environmentOf(entry?.environment ?? '') };
}

function aboutTest(change: ResultChange, { place, known }: Occurrence): AboutTest {
  const { test_id: id, result, owner } = change;
  const { test_name: name, project_id, test_result_id: result_id, test_run_id: run_id } = result;
  const test = { id, name, project_id };
  return { kind: 'test', test, ...aboutLine(change), result_id, run_id, place, owner, known };
}

async function testPayload({ test, environment, result_id, run_id }: AboutTest, records: PayloadRecords) {
  return { test, environment, result_id, run_id, project: await records.project(test.project_id) };
}

function aboutResult(
  { result, owner }: ResultChange,
  { counts, known, isNew, place }: Occurrence,
): AboutResult {
  const { test_result_id: result_id, test_run_id: run_id, project_id } = result;
  const ids = { result_id, run_id, project_id, counts: counts === null ? null : bare(counts) };
  return { kind: 'result', ...ids, place, owner, known, new: isNew };
}

async function resultPayload(
  { result_id, run_id, project_id, counts }: AboutResult,
  records: PayloadRecords,
) {
  const [result, run, project] = await Promise.all([
    records.result(result_id),
    run_id === null || counts === null ? null : records.run(run_id, counts),
    records.project(project_id),
  ]);
  return { result, run, project };
}

function aboutKnownFailure(uuid: string, about: Omit<AboutKnownFailure, 'kind'>): Draft<AboutKnownFailure> {
  return { uuid, subject: about.test.id, about: { kind: 'known_failure', ...about } };
}

async function knownFailurePayload({ test }: AboutKnownFailure, records: PayloadRecords) {
  const [known_failure, project] = await Promise.all([
    records.knownFailure(test.id),
    records.project(test.project_id),
  ]);
  return { test, known_failure, project };
}
