import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { allEvents } from '../http/events.js';
import { givenProject, givenResult } from '../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from './server.js';

const ENDPOINTS = 10;
const EVENTS = 500;
/** Each is sent to ten. */
const A_SECOND = 20;
const WITHIN_MS = 1_000;

describe('the process: an endpoint that takes requests and never answers', function () {
  this.timeout(90_000);
  const given = servers();
  const received = receiver();

  it('delays no other: of these 99 in 100 first attempts come within a second of the answer to the post', async () => {
    const { owner } = await given.start({ env: receiving });
    const project = await givenProject(owner);
    const webhooks: string[] = [];
    for (let n = 0; n < ENDPOINTS; n += 1) webhooks.push(await received.register(owner, ['test.failed']));
    const [hanging, ...others] = webhooks;
    received.answering = ({ webhook }) => (webhook === hanging ? null : 204);

    const answered = new Map<string, number>();
    const posting: Promise<void>[] = [];
    const began = performance.now();
    for (let n = 0; n < EVENTS; n += 1) {
      await pause(Math.max(0, began + (n * 1_000) / A_SECOND - performance.now()));
      const post = givenResult(owner, project, { test_name: `test ${n % 200}`, status: 'Failed' });
      posting.push(post.then(({ test_result_id: id }) => void answered.set(id, performance.now())));
    }
    await Promise.all(posting);
    const heldBy = (webhook: string) => received.taken.filter((each) => each.webhook === webhook).length;
    await until('all to have come', () => others.every((webhook) => heldBy(webhook) >= EVENTS));

    expect(heldBy(hanging!)).to.be.above(0);
    const failures = (await allEvents(owner, { types: 'ResultCreated' })).map(({ id }) => id).sort();
    const took: number[] = [];
    for (const webhook of others) {
      const own = received.taken.filter((each) => each.webhook === webhook);
      expect(own.map(({ id }) => id).sort()).to.deep.equal(failures);
      took.push(...own.map(({ at, data }) => at - answered.get(data.result.test_result_id)!));
    }
    took.sort((one, other) => one - other);
    expect(took[Math.floor(took.length * 0.99)]).to.be.below(WITHIN_MS);
  });
});
