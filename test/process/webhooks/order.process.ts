import { expect } from 'chai';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from '../../kit/process.js';
import { delivered, deliveriesOf, expectReceived, expectedMessages } from './webhooks.js';

/** More than the attempts of a delivery. */
const OTHERS = 15;

describe('the process: an endpoint that fails for one test', function () {
  const given = servers();
  const received = receiver();

  it('holds up no other test, and gets the missed messages of that one in log order, none exhausted', async () => {
    const { owner } = await given.start({ env: receiving });
    const project = await givenProject(owner);
    const webhook = await received.register(owner);
    const post = (test_name: string, status: string) => givenResult(owner, project, { test_name, status });
    const isAbout = (name: string) => (each: { data: any }) => each.data.result.test_name === name;
    let broken = true;
    received.answering = (each) => (broken && isAbout('first')(each) ? 500 : 204);

    for (const status of ['Failed', 'Passed', 'Failed']) await post('first', status);
    await until('an attempt', () => received.taken.some(isAbout('first')));
    // One after the other, so that each success follows a failure.
    for (let n = 1; n <= OTHERS; n += 1) {
      await post('second', 'Failed');
      await until('the other', () => received.taken.filter(isAbout('second')).length === n);
    }
    const waiting = async () => (await deliveriesOf(owner, webhook, 'pending')).total;
    await until('the others to be recorded', async () => (await waiting()) <= 3);
    expect(await waiting()).to.equal(3);
    expect(new Set(received.taken.filter(isAbout('first')).map(({ type }) => type))).to.deep.equal(
      new Set(['test.failed']),
    );

    broken = false;
    await delivered(owner, webhook, received);
    const expected = await expectedMessages(owner);
    expect(expected.filter(({ type }) => type === 'test.recovered')).to.have.length(1);
    expectReceived(received, webhook, expected);
    expect(new Set(received.acknowledged().values())).to.deep.equal(new Set([1]));
  });
});
