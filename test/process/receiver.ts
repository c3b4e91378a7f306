/**
 * A receiver of webhooks as an integration would write it: it verifies each request with the library of Standard
 * Webhooks, and remembers what it answered. It outlives the servers of a test, and may be away for a while.
 */
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Api } from '../http/client.js';
import { givenWebhook } from '../http/given.js';
import { openEndpoint, type Endpoint, type Taken } from '../webhooks/delivery/endpoint.js';

export type Reception = {
  /** The `webhook-id`. */
  id: string;
  /** Of the webhook. */
  webhook: string;
  type: string;
  data: any;
  /** As it was sent, to the byte. */
  body: string;
  at: number;
  /** What was answered; null for nothing, by now. */
  status: number | null;
};

/** What is answered: a status, or null for nothing ever. */
export type Answering = (reception: Omit<Reception, 'status'>) => number | null | Promise<number | null>;

export type Receiver = {
  /** All that came, in order; each was verified. */
  readonly taken: readonly Reception[];
  answering: Answering;
  /** Registers a webhook that leads here; answers its id. */
  register(api: Api, events?: readonly string[]): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** How often each id was answered with a success, by the id of the webhook and its own. */
  acknowledged(): Map<string, number>;
};

/** What lets a server send to it. */
export const receiving = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** Declares a receiver for each test of the block around it; what does not verify fails the test. */
export function receiver(): Receiver {
  let endpoint: Endpoint | null = null;
  let port = 0;
  let taken: Reception[] = [];
  let refused: string[] = [];
  let secrets = new Map<string, { webhook: string; secret: string }>();

  const take = (request: Taken): Reception => {
    const { url, headers, body, at } = request;
    const { webhook, secret } = secrets.get(url)!;
    const { type, data } = new Webhook(secret).verify(body, headers as Record<string, string>) as any;
    const reception = { id: String(headers['webhook-id']), webhook, type, data, body, at, status: null };
    taken.push(reception);
    return reception;
  };
  const answer = async (request: Taken, response: ServerResponse): Promise<void> => {
    try {
      const reception = take(request);
      reception.status = await own.answering(reception);
      if (reception.status !== null) response.writeHead(reception.status).end();
    } catch (error) {
      refused.push(`${String(error)}: ${request.url} ${JSON.stringify(request.headers)} ${request.body}`);
      response.writeHead(400).end();
    }
  };
  const own: Receiver = {
    get taken() {
      return taken;
    },
    answering: () => 204,
    async register(api, events = ['*']) {
      const path = `/hook/${secrets.size}`;
      const { id, secret } = await givenWebhook(api, { url: `http://127.0.0.1:${port}${path}`, events });
      secrets.set(path, { webhook: id, secret });
      return id;
    },
    async start() {
      endpoint = await openEndpoint((request, response) => void answer(request, response), { port });
      port = endpoint.port;
    },
    async stop() {
      await endpoint?.close();
      endpoint = null;
    },
    acknowledged() {
      const counts = new Map<string, number>();
      for (const { webhook, id, status } of taken) {
        if (status === null || status >= 300) continue;
        counts.set(`${webhook} ${id}`, (counts.get(`${webhook} ${id}`) ?? 0) + 1);
      }
      return counts;
    },
  };

  beforeEach(async () => {
    taken = [];
    refused = [];
    secrets = new Map();
    own.answering = () => 204;
    await own.start();
  });
  afterEach(async () => {
    await own.stop();
    expect(refused, 'what did not verify').to.deep.equal([]);
  });
  return own;
}
