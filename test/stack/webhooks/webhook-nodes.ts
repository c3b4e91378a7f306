/**
 * Server processes for the tests of webhooks. Each has its own roles and a new folder; all share the servers of the
 * run.
 */
import { join } from 'node:path';
import type { Api } from '../../kit/client.js';
import { givenProject, givenWebhook } from '../../http/given.js';
import { servers, until, type RunningServer } from '../../kit/process.js';
import { openEndpoint, type Endpoint } from '../../webhooks/delivery/endpoint.js';
import { emptyStores, type StoreUrls } from '../../kit/store-urls.js';
import type { Story } from './webhook-story.js';

export type Role = 'api' | 'projector' | 'publisher' | 'dispatcher';

export type Receiver = { endpoint: Endpoint; id: string; secret: string };

export type WebhookNodes = {
  /** Starts a process. `roles` is the value of `ROLES`. */
  start(roles: Role | 'publisher,dispatcher', env?: Record<string, string>): Promise<RunningServer>;
  /** Starts a process with the API and one with the projector. Returns the former. */
  startApi(): Promise<RunningServer>;
  /** Starts the API, makes a project and an empty story. */
  begin(): Promise<{ story: Story; api: RunningServer; project: string }>;
  /** Opens an endpoint, and makes a webhook that sends failures and recoveries there. */
  receiver(api: Api, answer?: Parameters<typeof openEndpoint>[0]): Promise<Receiver>;
};

/** Gives each test of the `describe` around it new stores, and ends what the test has started. */
export function webhookNodes(
  busUrl: () => string | null,
  newStores: () => StoreUrls = () => emptyStores(),
): WebhookNodes {
  let stores: StoreUrls;
  let started = 0;
  const endpoints: Endpoint[] = [];
  beforeEach(() => (stores = newStores()));
  const given = servers(() => stores);
  afterEach(async () => {
    await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
  });

  const nodes: WebhookNodes = {
    async start(roles, env = {}) {
      const folder = join(given.folder, String((started += 1)));
      const bus = busUrl();
      return given.start({
        env: {
          ROLES: roles,
          DATA_DIR: folder,
          WEBHOOK_ALLOW: '127.0.0.0/8',
          ...(bus !== null && { BUS_URL: bus }),
          ...env,
        },
      });
    },
    async startApi() {
      await nodes.start('projector');
      return nodes.start('api');
    },
    async begin() {
      const api = await nodes.startApi();
      return { story: new Map(), api, project: await projectOf(api) };
    },
    async receiver(api, answer) {
      const endpoint = await openEndpoint(answer);
      endpoints.push(endpoint);
      const events = ['test.failed', 'test.recovered'];
      const { id, secret } = await givenWebhook(api, { url: endpoint.url, events });
      return { endpoint, id, secret };
    },
  };
  return nodes;
}

export async function projectOf({ owner }: RunningServer): Promise<string> {
  return givenProject(owner);
}

/** The number of deliveries of a webhook in a state, as the API counts them. */
export async function deliveriesIn(api: Api, id: string, state: string): Promise<number> {
  const { body } = await api.get(`/v1/webhooks/${id}/deliveries?per_page=1&state=${state}`);
  return body.pagination.total;
}

/** Waits until this number of deliveries of a webhook is recorded as delivered. */
export async function allDelivered(api: Api, id: string, count: number): Promise<void> {
  await until(
    'all deliveries to be recorded as delivered',
    async () => (await deliveriesIn(api, id, 'delivered')) === count,
  );
}
