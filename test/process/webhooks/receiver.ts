/**
 * A receiver of webhooks as an integration would write it: it verifies each request with the library of Standard
 * Webhooks, and records its answers. It outlives the servers of a test, and may be away for a while.
 */
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Api } from '../../kit/client.js';
import { checkWebhookBody } from '../../http/conformity.js';
import { givenWebhook } from '../../http/given.js';
import { freePort } from '../../kit/free-port.js';
import { openEndpoint, type Endpoint, type Taken } from '../../webhooks/delivery/endpoint.js';

export type Reception = {
  /** The `webhook-id`. */
  id: string;
  /** The id of the webhook. */
  webhook: string;
  type: string;
  data: any;
  /** The body as it was sent, to the byte. */
  body: string;
  at: number;
  /** The status of the answer; null where there is none yet. */
  status: number | null;
};

/** Chooses the status of the answer; null answers never. */
export type Answering = (reception: Omit<Reception, 'status'>) => number | null | Promise<number | null>;

export type Receiver = {
  /** All verified requests, in order. */
  readonly taken: readonly Reception[];
  answering: Answering;
  /** Registers a webhook with a URL of this receiver. Returns its id. */
  register(api: Api, events?: readonly string[]): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** How often each message was answered with a success, by `<webhook> <message>`. */
  acknowledged(): Map<string, number>;
};

/** The configuration that lets a server send to it. */
export const receiving = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** Declares a receiver for each test of the block around it. A request that does not verify fails the test. */
export function receiver(): Receiver {
  let endpoint: Endpoint | null = null;
  let port = 0;
  let taken: Reception[] = [];
  let refused: string[] = [];
  let secrets = new Map<string, { webhook: string; secret: string }>();

  const take = (request: Taken): Reception => {
    const { url, headers, body, at } = request;
    const { webhook, secret } = secrets.get(url)!;
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as any;
    checkWebhookBody(message);
    const { type, data } = message;
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
      // After a stop it listens on it again, and no outgoing connection has taken it meanwhile.
      port ||= await freePort();
      endpoint = await openEndpoint((request, response) => void answer(request, response), { port });
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
    expect(refused, 'requests that did not verify').to.deep.equal([]);
  });
  return own;
}
