import { expect } from 'chai';
import { isAppError } from '../../../../src/errors.js';
import { notFound } from '../../../../src/domain/life.js';
import { deliveryRoutes } from '../../../../src/http/surface-b/webhook-deliveries.js';

const OWN = 'project_own';

/** A webhook that is given to other projects between the check of a request and its read. */
function givenWidened(project_ids: string[] | null) {
  let webhook = { webhook_id: 'webhook_1', project_ids: [OWN] as string[] | null, position: '7' };
  const webhooks = {
    async load() {
      const { position, ...record } = webhook;
      if (record.project_ids?.[0] !== OWN) notFound('webhook');
      return { ...record, reached_since: { position, at: '2026-01-01T00:00:00.000Z' } };
    },
  };
  const asked: string[] = [];
  const deliveries = {
    async find(_: string, { after }: { after: string }) {
      asked.push(after);
      webhook = { ...webhook, project_ids, position: '9' };
      return { items: [], total: 0 };
    },
  };
  const routes = deliveryRoutes(webhooks as never, { deliveries } as never);
  const list = routes.find(({ method, path }) => method === 'GET' && path.endsWith('/deliveries'))!;
  const call = { key: { team_id: 'team_1', project_ids: [OWN] }, params: { id: 'webhook_1' }, query: {} };
  return { asked, list: () => list.handle(call as never) };
}

describe('the deliveries of a webhook that is widened while a key of some projects reads them', () => {
  it('are 404 once it reaches further than the key', async () => {
    const refused = await givenWidened(null)
      .list()
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(isAppError(refused, 'not_found')).to.equal(true);
  });

  it('are read again from the change on where it came back to the projects of the key', async () => {
    const { asked, list } = givenWidened([OWN]);
    expect(await list()).to.have.property('status', 200);
    expect([...new Set(asked)]).to.deep.equal(['7#~', '9#~']);
  });
});
