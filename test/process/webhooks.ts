/** What webhooks should have been told, by the log as the replay shows it, and what has been sent by now. */
import { expect } from 'chai';
import type { Api } from '../http/client.js';
import { allEvents, type Shown } from '../http/events.js';
import type { Receiver, Reception } from './receiver.js';
import { until } from './server.js';

export type Told = {
  /** The `webhook-id`. */
  id: string;
  type: string;
  /** The test, or the run. */
  subject: string;
  /** Sorts in the order in which it is told. */
  place: string;
};

const inOrder = ['test.failed', 'test.recovered', 'test.flaky', 'run.completed'];

/** All that a webhook for everything should be told, in log order. Of results that are created, and submitted. */
export async function toldBy(api: Api): Promise<Told[]> {
  const events = await allEvents(api);
  const creations = events.filter(({ type }) => type === 'ResultCreated' || type === 'ResultSubmitted');
  const created = new Map(
    creations.map(({ data, position }): [string, string] => [data.result_id, position]),
  );
  const told = events.flatMap((event): Told[] => {
    const type = typeOf(event);
    if (type === null) return [];
    const { result_id, run_id, project_id, test_name } = event.data;
    // A transition stands later in the log than what it follows from.
    const position = type === 'run.completed' ? event.position : created.get(result_id)!;
    const subject = type === 'run.completed' ? run_id : `${project_id}/${test_name}`;
    return [{ id: event.id, type, subject, place: `${position}#${inOrder.indexOf(type)}` }];
  });
  return told.sort((one, other) => (one.place < other.place ? -1 : 1));
}

function typeOf({ type, data }: Shown): string | null {
  switch (type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return data.status === 'Failed' && data.superseded_by == null ? 'test.failed' : null;
    case 'TestRecovered':
      return 'test.recovered';
    case 'TestBecameFlaky':
      return 'test.flaky';
    case 'RunCompleted':
      return 'run.completed';
    default:
      return null;
  }
}

/** That a webhook was told exactly this, and that of each subject in this order. Pings are passed over. */
export function expectTold(receiver: Receiver, webhook: string, told: readonly Told[]): void {
  const first = firstOf(receiver.taken.filter((each) => each.webhook === webhook));
  expect(sorted(first.map(({ id }) => id))).to.deep.equal(sorted(told.map(({ id }) => id)));
  const arrived = new Map(first.map(({ id }, n) => [id, n]));
  const last = new Map<string, Told & { n: number }>();
  for (const each of told) {
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

/** Waits until nothing is on its way. Everything that was posted before is on its way or there: a ping went after it. */
export async function delivered(
  api: Api,
  webhook: string,
  receiver: Receiver,
  withinMs = 30_000,
): Promise<void> {
  const ping = await pinged(api, webhook);
  // The fan-out goes in log order: what comes before the ping was set out before it.
  await until('the ping', () => receiver.taken.some(({ id }) => id === ping), withinMs);
  await until(
    'nothing pending',
    async () => (await deliveriesOf(api, webhook, 'pending')).total === 0,
    withinMs,
  );
}

/** Asks for a ping; answers its id. */
export async function pinged(api: Api, webhook: string): Promise<string> {
  const { status, body, text } = await api.post(`/v1/webhooks/${webhook}/ping`);
  expect(status, text).to.equal(202);
  return body.data.event_id;
}

/** The newest 100 deliveries, and how many there are. */
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
