/** Filters, `per` and formats, with several processes on real servers. Chats get no ids, so their messages are told apart by their bytes. */
import { expect } from 'chai';
import { faultsForSlack } from '../../domain/messages/chat/slack-schema.js';
import { faultsForTeams } from '../../domain/messages/chat/teams-card.js';
import { givenSubmission, givenWebhook } from '../../http/given.js';
import { until, type RunningServer } from '../../kit/process.js';
import { openEndpoint, type Endpoint } from '../../webhooks/delivery/endpoint.js';
import { allDelivered, projectOf, webhookNodes } from './webhook-nodes.js';

const env = { PUBLIC_URL: 'https://tests.example.org' };
const CAUSES = 12;

/** Of two owners in turn, so that each cause has failures of both. */
const failures = Array.from({ length: 240 }, (_, n) => ({
  name: `test ${n}`,
  status: 'failed',
  error_message: `${'abcdefghijkl'.charAt(n % CAUSES).repeat(4)} is broken`,
  metadata: { owner: n < 120 ? 'checkout' : 'search' },
}));

const hooks = [
  { format: 'standard', per: 'group', filter: { owners: ['search'] }, messages: CAUSES },
  { format: 'slack', per: 'group', filter: { owners: ['search'], branches: ['ma*'] }, messages: CAUSES },
  { format: 'teams', per: 'run', filter: null, messages: 1 },
  { format: 'slack', per: 'run', filter: { branches: ['topic'] }, messages: 0 },
] as const;

describe('webhooks with a filter, `per` and a format, sent by two dispatchers', function () {
  this.timeout(120_000);
  const nodes = webhookNodes(() => null);
  const endpoints: Endpoint[] = [];
  afterEach(() => Promise.all(endpoints.splice(0).map((each) => each.close())));

  it('get each message once, with the same bytes from either, after one of them is killed while it sends', async () => {
    await nodes.start('projector');
    const api = await nodes.start('api', env);
    const project = await projectOf(api);
    await nodes.start('publisher');
    const first = await nodes.start('dispatcher', env);
    await nodes.start('dispatcher', env);
    let hangs = true;
    const receivers = await Promise.all(hooks.map((hook) => receiver(api, hook, () => hangs)));
    endpoints.push(...receivers.map(({ endpoint }) => endpoint));
    await givenSubmission(api.owner, project, failures, { metadata: { branch: 'main' } });
    await until('attempts to be under way', () =>
      receivers.every(({ endpoint, messages }) => endpoint.taken.length >= Math.min(messages, 1)),
    );
    await first.kill();
    const cut = new Map(receivers.map(({ id, endpoint }) => [id, endpoint.taken.map(({ body }) => body)]));
    hangs = false;
    for (const { id, messages } of receivers) await allDelivered(api.owner, id, messages);
    for (const { id, endpoint, format, messages } of receivers) {
      const bodies = endpoint.taken.map(({ body }) => body);
      expect(new Set(bodies).size, format).to.equal(messages);
      const whole = bodies.slice(cut.get(id)!.length);
      // Those that were cut off come again, and no other one comes twice.
      expect(whole.length).to.be.at.most(messages);
      expect(new Set(whole).size).to.equal(whole.length);
      for (const body of bodies) expectFormat(format, body);
    }
  });
});

type Hook = (typeof hooks)[number];

async function receiver(api: RunningServer, { messages, ...hook }: Hook, hangs: () => boolean) {
  const endpoint = await openEndpoint((_, response) => {
    if (!hangs()) response.writeHead(204).end();
  });
  const { id } = await givenWebhook(api.owner, { url: endpoint.url, events: ['test.failed'], ...hook });
  return { id: id as string, endpoint, messages, format: hook.format };
}

function expectFormat(format: Hook['format'], body: string): void {
  const parsed = JSON.parse(body);
  switch (format) {
    case 'standard':
      expect(parsed.data).to.deep.include({ results: 10, owners: ['search'] });
      return;
    case 'slack':
      expect(faultsForSlack(parsed)).to.deep.equal([]);
      expect(body).to.include('10 tests failed of a new cause');
      return;
    case 'teams':
      expect(faultsForTeams(parsed)).to.deep.equal([]);
      expect(body).to.include('240 failed');
  }
}
