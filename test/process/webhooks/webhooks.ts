/** The messages that webhooks must get, by the log as the replay shows it, and the messages sent so far. */
import { expect } from 'chai';
import type { Api } from '../../kit/client.js';
import { allEvents, type Shown } from '../../http/events.js';
import type { Receiver, Reception } from './receiver.js';
import { until } from '../../kit/process.js';

export type ExpectedMessage = {
  /** The `webhook-id`. */
  id: string;
  type: string;
  /** The test, the run or the group. */
  subject: string;
  /** Sorts in the order of sending. */
  place: string;
};

/** Of events that follow from one of a result or run. The types in the order of their messages. */
const typeOfEvent: Readonly<Record<string, string>> = {
  TestRecovered: 'test.recovered',
  TestBecameFlaky: 'test.flaky',
  RunCompleted: 'run.completed',
  TestBecameBroken: 'test.broken',
  TestStabilised: 'test.stabilised',
  GroupAppeared: 'group.new',
};
const inOrder = ['test.failed', ...Object.values(typeOfEvent)];

/** The messages for a webhook with all events, in log order, for results that are created or submitted. */
export async function expectedMessages(api: Api): Promise<ExpectedMessage[]> {
  const events = await allEvents(api);
  const creations = events.filter(({ type }) => type === 'ResultCreated' || type === 'ResultSubmitted');
  const created = new Map(
    creations.map(({ data, position }): [string, string] => [data.result_id, position]),
  );
  const expected = events.flatMap((event): ExpectedMessage[] => {
    const type = typeOf(event);
    if (type === null) return [];
    const { result_id, run_id, project_id, test_name, group } = event.data;
    // A transition is later in the log than the event that it follows from.
    const position = type === 'run.completed' ? event.position : created.get(result_id)!;
    const ofTest = `${project_id}/${test_name}`;
    const subject = type === 'run.completed' ? run_id : type === 'group.new' ? group : ofTest;
    return [{ id: event.id, type, subject, place: `${position}#${inOrder.indexOf(type)}` }];
  });
  return expected.sort((one, other) => (one.place < other.place ? -1 : 1));
}

function typeOf({ type, data }: Shown): string | null {
  switch (type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return data.status === 'Failed' && data.superseded_by == null ? 'test.failed' : null;
    default:
      return typeOfEvent[type] ?? null;
  }
}

/** Expects that a webhook got exactly these messages, in this order for each subject. It ignores pings. */
export function expectReceived(
  receiver: Receiver,
  webhook: string,
  expected: readonly ExpectedMessage[],
): void {
  const first = firstOf(receiver.taken.filter((each) => each.webhook === webhook));
  expect(sorted(first.map(({ id }) => id))).to.deep.equal(sorted(expected.map(({ id }) => id)));
  const arrived = new Map(first.map(({ id }, n) => [id, n]));
  const last = new Map<string, ExpectedMessage & { n: number }>();
  for (const each of expected) {
    const n = arrived.get(each.id)!;
    const before = last.get(each.subject);
    if (before !== undefined && before.n > n)
      expect.fail(`${each.type} of ${each.subject} came before its ${before.type}`);
    last.set(each.subject, { ...each, n });
  }
}

/** The first reception of each id, in order of arrival. */
export function firstOf(taken: readonly Reception[]): Reception[] {
  const seen = new Set<string>();
  return taken.filter(({ id, type }) => type !== 'webhook.ping' && !seen.has(id) && seen.add(id));
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}

/** Waits until no delivery is pending. A ping goes first: all earlier messages are queued before it. */
export async function delivered(
  api: Api,
  webhook: string,
  receiver: Receiver,
  withinMs = 120_000,
): Promise<void> {
  const ping = await pinged(api, webhook);
  // The fan-out goes in log order: it adds all messages before the ping first.
  await until('the ping', () => receiver.taken.some(({ id }) => id === ping), withinMs);
  await until(
    'nothing pending',
    async () => (await deliveriesOf(api, webhook, 'pending')).total === 0,
    withinMs,
  );
}

/** Requests a ping. Answers its id. */
export async function pinged(api: Api, webhook: string): Promise<string> {
  const { status, body, text } = await api.post(`/v1/webhooks/${webhook}/ping`);
  expect(status, text).to.equal(202);
  return body.data.event_id;
}

/** The newest 100 deliveries, and the number of all. */
export async function deliveriesOf(
  api: Api,
  webhook: string,
  state?: string,
): Promise<{ items: any[]; total: number }> {
  const filter = state === undefined ? '' : `&state=${state}`;
  const { status, body, text } = await api.get(`/v1/webhooks/${webhook}/deliveries?per_page=100${filter}`);
  expect(status, text).to.equal(200);
  return { items: body.data, total: body.pagination.total };
}
