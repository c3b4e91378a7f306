/** Tables on shared servers: a position means the same to every process. */
import { expect } from 'chai';
import { givenProject, givenResult, givenSubmission } from '../http/given.js';
import { startNats, type NatsServer } from './nats.js';
import { webhookNodes } from './webhooks/webhook-nodes.js';

describe('the tables for analysts on shared servers', function () {
  this.timeout(300_000);
  let nats: NatsServer;
  before(async () => (nats = await startNats()));
  after(() => nats.stop());
  const nodes = webhookNodes(() => nats.url);

  it('are the same bytes from each process, and go on from a position of another one', async () => {
    const [first, second] = await Promise.all([nodes.start('api'), nodes.start('api')]);
    await Promise.all([nodes.start('projector'), nodes.start('publisher,dispatcher')]);
    const project = await givenProject(first.owner);
    const items = Array.from({ length: 1_200 }, (_, n) => ({
      ...(n % 9 === 0 && { status: 'failed', error_message: 'no' }),
    }));
    const { results } = await givenSubmission(first.owner, project, items);
    const exported = async (by: typeof first, query = '') => {
      const { status, text, headers } = await by.owner.get(`/v1/exports/results?contents=true${query}`);
      expect(status, text).to.equal(200);
      return { text, position: headers.get('x-position')! };
    };
    const { text, position } = await exported(first);
    expect(text.split('\n')).to.have.length(1_202);
    await second.owner.post(`/v1/test/result/${results[700]}`, { status: 'Failed' });
    await givenResult(second.owner, project);
    expect((await exported(second, `&until=${position}`)).text).to.equal(text);
    const since = await exported(second, `&after=${position}`);
    expect(since.text.split('\n')).to.have.length(4);
    expect((await exported(first, `&after=${position}&until=${since.position}`)).text).to.equal(since.text);
    const runs = await first.owner.get(`/v1/exports/runs?after=${position}`);
    expect(runs.text.split('\n')).to.have.length(3);
  });
});
