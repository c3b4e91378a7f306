/** Results of tests, posted one after another, and the messages that webhooks must get about them. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Api } from '../../kit/client.js';
import { givenSubmission } from '../../http/given.js';
import { until } from '../../kit/process.js';
import type { Endpoint, Taken } from '../../webhooks/delivery/endpoint.js';

/** `<type> <result>` of each message, by the name of the test, in order. */
export type Story = Map<string, string[]>;

/** The message of one request to an endpoint. */
export type ReceivedMessage = { id: string; type: string; test: string; result: string; at: number };

/** Posts one result after another to each test, all tests at a time. */
export async function postStory(
  story: Story,
  api: Api,
  { project, tests, statuses }: { project: string; tests: readonly string[]; statuses: readonly string[] },
): Promise<void> {
  await Promise.all(
    tests.map(async (test) => {
      for (const status of statuses) await post(story, api, { project, test, status });
    }),
  );
}

/** Posts one result. Returns its id. */
export async function post(
  story: Story,
  api: Api,
  { project, test, status }: { project: string; test: string; status: string },
): Promise<string> {
  const key = { 'Idempotency-Key': randomUUID() };
  let id = '';
  await until('the result to be posted', async () => {
    const answer = await api.post('/v1/test/result/', { project_id: project, test_name: test, status }, key);
    // The log of a busy machine may answer too late. A client sends the result again then.
    if (answer.status === 503 || answer.body.code === 'in_flight') return false;
    expect(answer.status, answer.text).to.equal(200);
    id = answer.body.test_result_id;
    return true;
  });
  addToStory(story, test, status, id);
  return id;
}

/** Submits a run with one result of each test in a single request. */
export async function submit(
  story: Story,
  api: Api,
  { project, tests, status }: { project: string; tests: readonly string[]; status: 'passed' | 'failed' },
): Promise<void> {
  const items = tests.map((name) => ({ name, status }));
  const { results } = await givenSubmission(api, project, items);
  for (const [n, test] of tests.entries()) {
    addToStory(story, test, status === 'failed' ? 'Failed' : 'Passed', results[n]!);
  }
}

function addToStory(story: Story, test: string, status: string, result: string): void {
  const messages = story.get(test) ?? [];
  story.set(test, messages);
  if (status === 'Failed') messages.push(`test.failed ${result}`);
  else if (messages.at(-1)?.startsWith('test.failed') === true) messages.push(`test.recovered ${result}`);
}

export async function allReceived(endpoint: Endpoint, story: Story): Promise<void> {
  await until('the endpoint to have all messages', () => messageIdsAt(endpoint).size >= messagesIn(story));
}

export function messagesIn(story: Story): number {
  return [...story.values()].reduce((sum, messages) => sum + messages.length, 0);
}

/** The messages of all requests that an endpoint took. */
export function receivedBy({ taken }: Endpoint): ReceivedMessage[] {
  return taken.map(messageIn);
}

export function messageIn({ headers, body, at }: Taken): ReceivedMessage {
  const { type, data } = JSON.parse(body);
  const { test_name: test, test_result_id: result } = data.result;
  return { id: String(headers['webhook-id']), type, test, result, at };
}

/** The ids of the different messages that an endpoint took. */
export function messageIdsAt({ taken }: Endpoint): Set<string> {
  return new Set(taken.map(({ headers }) => String(headers['webhook-id'])));
}

/**
 * Expects all messages of the story, signed, in order for each test. Each message has one id and always the same bytes.
 * With `again`, a message may come twice, but not after the next message of its test.
 */
export function expectReceived(endpoint: Endpoint, story: Story, { secret = '', again = false } = {}): void {
  const bytes = new Map<string, string>();
  for (const { headers, body } of endpoint.taken) {
    const id = String(headers['webhook-id']);
    expect(bytes.get(id) ?? body, `the bytes of ${id}`).to.equal(body);
    bytes.set(id, body);
    if (secret !== '') new Webhook(secret).verify(body, headers as Record<string, string>);
  }
  const requests = receivedBy(endpoint);
  const ids = new Set<string>();
  for (const [test, expected] of story) {
    const all = requests.filter((each) => each.test === test);
    const once = again ? all.filter(({ id }, n) => id !== all[n - 1]?.id) : all;
    expect(once.map(({ type, result }) => `${type} ${result}`)).to.deep.equal(expected);
    for (const { id } of once) ids.add(id);
  }
  expect(ids.size, 'a different id for each message').to.equal(messagesIn(story));
  expect(bytes.size, 'no other message').to.equal(messagesIn(story));
}

/** Expects each message to have the id of its event in the replay. */
export async function expectInReplay(endpoint: Endpoint, api: Api): Promise<void> {
  const ids = new Set<string>();
  for (let after = '', caughtUp = false; !caughtUp;) {
    const { body } = await api.get(`/v1/events?limit=1000${after}`);
    for (const { id, type, data } of body.data) {
      const failed = type.startsWith('Result') && data.status === 'Failed';
      if (failed || type === 'TestRecovered') ids.add(id);
    }
    after = `&after=${body.next}`;
    caughtUp = body.caught_up;
  }
  expect(messageIdsAt(endpoint)).to.deep.equal(ids);
}
