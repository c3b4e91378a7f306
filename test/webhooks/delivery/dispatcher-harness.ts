/** A dispatcher over the embedded log and state, deliveries in memory, and an endpoint that is a function. */
import { randomBytes } from 'node:crypto';
import { instant } from '../../../src/clock.js';
import { newIds } from '../../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../../src/commands/command-handler.js';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import type { State } from '../../../src/ports/state.js';
import { outboxPosition } from '../../../src/domain/messages/message.js';
import { streamName } from '../../../src/domain/event.js';
import { webhook as decider, type WebhookChanges } from '../../../src/domain/messages/webhook.js';
import { AppError } from '../../../src/errors.js';
import type { Delivery } from '../../../src/domain/messages/delivery.js';
import {
  runDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../../src/webhooks/delivery/dispatcher.js';
import type { Post, Posted, PostRequest } from '../../../src/webhooks/delivery/post.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { contextOf, embeddedStores, type Stores } from '../../stores.js';

/** The answer of an endpoint: a status, maybe with `Retry-After`; null for a request that hangs until its abort. */
export type Said = number | { status: number; retryAfterMs: number } | null;

export type Call = {
  url: string;
  webhookId: string;
  eventId: string;
  body: string;
  headers: PostRequest['headers'];
};

export type Running = Dispatcher & {
  /** Stops it, and waits for its end. */
  stop(): Promise<void>;
  /** Ends it like `kill -9`: none of its calls reaches a store any more. */
  kill(): void;
};

export type DispatcherHarness = {
  stores: Stores;
  readonly commands: CommandHandler;
  readonly deliveries: Deliveries;
  /** All requests, in order. */
  readonly calls: Call[];
  /** The requests that were aborted before their answers. */
  readonly aborted: Call[];
  readonly faults: unknown[];
  readonly metrics: string[];
  /** Sets the behaviour of the endpoint. */
  answer(by: (call: Call) => Said | Promise<Said>): void;
  start(more?: Partial<DispatcherOptions>): Running;
  /** Creates a webhook, enabled. By default, all webhooks have the same team. */
  newWebhook(team?: string): Promise<string>;
  change(webhook: string, change: WebhookChanges | 'delete'): Promise<void>;
  /** Adds the n-th message about a subject for a webhook. */
  add(webhook: string, subject: string, ...numbers: number[]): Promise<void>;
  get(webhook: string, n: number): Promise<Delivery>;
  /** Moves the clock forward. */
  forward(ms: number): void;
};

/** The secret of each webhook. */
export const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

export function dispatcherHarness(): DispatcherHarness {
  const stores = embeddedStores('each test');
  let commands: CommandHandler;
  let deliveries: Deliveries;
  let calls: Call[] = [];
  let aborted: Call[] = [];
  let faults: unknown[] = [];
  let metrics: string[] = [];
  let answer: (call: Call) => Said | Promise<Said> = () => 204;
  let running: Running[] = [];
  const oneTeam = newIds.created('team');
  const teams = new Map<string, string>();
  const teamOf = (webhook: string) => teams.get(webhook) ?? oneTeam;

  beforeEach(() => {
    commands = openCommandHandler(stores.log);
    deliveries = memoryDeliveries();
    [calls, aborted, faults, metrics, running] = [[], [], [], [], []];
    answer = () => 204;
    stores.beforeClose(async () => {
      for (const one of running) one.kill();
      await Promise.all(running.map(({ done }) => done));
    });
  });

  const saidTo = async (call: Call) => (await answer(call)) ?? new Promise<never>(() => undefined);

  const post: Post = async ({ url, headers, body, at, signal }) => {
    const { n, webhook } = JSON.parse(body) as { n: number; webhook: string };
    const call = { url, webhookId: webhook, eventId: eventOf(n), body, headers };
    calls.push(call);
    const ended = new Promise<never>((_resolve, reject) => {
      const end = () => {
        aborted.push(call);
        reject(new Error('aborted'));
      };
      if (signal.aborted) end();
      signal.addEventListener('abort', end);
    });
    const said = await Promise.race([saidTo(call), ended]);
    const { status, retryAfterMs } = typeof said === 'number' ? { status: said, retryAfterMs: null } : said;
    const error = status < 300 ? null : `HTTP ${status}`;
    return {
      at: at.toISOString(),
      status,
      duration_ms: 1,
      error,
      response: '',
      retryAfterMs,
    } satisfies Posted;
  };

  function start(more: Partial<DispatcherOptions> = {}): Running {
    const abort = new AbortController();
    const gate = { open: true };
    const dispatcher = runDispatcher({
      deliveries: gated(torn(deliveries, gate), gate),
      state: gated<State>(stores.state, gate),
      commands: gated(commands, gate),
      secrets: async () => [SECRET],
      urlOf: async ({ sealed }) => sealed,
      bodyOf: async ({ event_id, webhook_id, subject }) => {
        const n = Number(event_id.slice(eventOf(0).length - 1));
        return JSON.stringify({ type: 'test.failed', n, webhook: webhook_id, subject });
      },
      messagesOf: async (all) => all.map(() => 'lost'),
      post: async (request) => {
        const posted = await post(request);
        if (!gate.open) throw new Error('killed');
        return posted;
      },
      holder: { boot: newIds.created('key'), alone: true },
      clock: stores.clock,
      signal: abort.signal,
      historyMs: 30 * 86_400_000,
      report: (error) => void (gate.open && faults.push(error)),
      metrics: {
        attempt: (outcome) => void metrics.push(outcome),
        disabled: (reason) => void metrics.push(reason),
      },
      ...more,
    });
    const one: Running = {
      ...dispatcher,
      stop: async () => {
        abort.abort();
        await dispatcher.done;
      },
      kill: () => {
        gate.open = false;
        abort.abort();
      },
    };
    running.push(one);
    return one;
  }

  return {
    stores,
    get commands() {
      return commands;
    },
    get deliveries() {
      return deliveries;
    },
    get calls() {
      return calls;
    },
    get aborted() {
      return aborted;
    },
    get faults() {
      return faults;
    },
    get metrics() {
      return metrics;
    },
    answer: (by) => void (answer = by),
    start,
    newWebhook: async (team = oneTeam) => {
      const webhook_id = newIds.created('webhook');
      teams.set(webhook_id, team);
      const create = {
        type: 'CreateWebhook',
        webhook_id,
        origin: `http://${webhook_id}.test`,
        sealed: `http://${webhook_id}.test/`,
        events: ['*'],
        project_ids: null,
      } as const;
      await commands.execute(decider, streamName('webhook', team, webhook_id), contextOf(team), create);
      return webhook_id;
    },
    change: async (webhook, change) => {
      const command =
        change === 'delete'
          ? ({ type: 'DeleteWebhook' } as const)
          : ({ type: 'ChangeWebhook', ...change } as const);
      const team = teamOf(webhook);
      await commands.execute(decider, streamName('webhook', team, webhook), contextOf(team), command);
    },
    add: async (webhook, subject, ...numbers) => {
      const now = instant(stores.clock);
      await deliveries.add(numbers.map((n) => message(teamOf(webhook), webhook, subject, n, now)));
    },
    get: async (webhook, n) => {
      const held = await deliveries.get(idOf(webhook, n));
      if (held === null) throw new Error(`there is no delivery ${n} of ${webhook}`);
      return held.delivery;
    },
    forward: (ms) => stores.clock.forward(ms),
  };
}

/** A promise with its end. */
export function held(): { until: Promise<void>; end: () => void } {
  let end = () => undefined as void;
  const until = new Promise<void>((resolve) => (end = resolve));
  return { until, end: () => end() };
}

export function eventOf(n: number): string {
  return `event_${n}`;
}

function idOf(webhook: string, n: number): string {
  return `delivery_${webhook}_${n}`;
}

function message(team_id: string, webhook_id: string, subject: string, n: number, now: string): Delivery {
  return {
    id: idOf(webhook_id, n),
    webhook_id,
    team_id,
    event_id: eventOf(n),
    type: 'test.failed',
    subject,
    // After every position of this log.
    place: outboxPosition(`9${String(n).padStart(19, '0')}`, 0),
    created_at: now,
    asked: false,
    state: 'pending',
    attempts: [],
    tries: 0,
    next_attempt_at: now,
    scheduled_at: null,
    earliest_at: null,
  };
}

/**
 * Like a store that finishes a delivery and makes the next one due in two writes: a kill between them leaves it
 * blocked.
 */
function torn(deliveries: Deliveries, gate: { open: boolean }): Deliveries {
  const nextOf = async ({ id, webhook_id, subject }: Delivery) => {
    const pending = { direction: 'ascending', offset: 0, limit: 1_000, state: 'pending' } as const;
    const { items } = await deliveries.find(webhook_id, pending);
    return items.find((each) => each.subject === subject && each.id !== id);
  };
  return {
    ...deliveries,
    put: async (delivery, version, now) => {
      const next = delivery.state === 'pending' ? undefined : await nextOf(delivery);
      const done = await deliveries.put(delivery, version, now);
      await new Promise(setImmediate);
      const held = next?.next_attempt_at === null && !gate.open ? await deliveries.get(next.id) : null;
      if (done && held !== null) await deliveries.put(next!, held.version, now);
      return done;
    },
  };
}

/** A killed process reaches no store any more. */
function gated<T extends object>(port: T, gate: { open: boolean }): T {
  return new Proxy(port, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (!gate.open) throw new AppError('state_unavailable', 'killed');
        const answer: unknown = await value.apply(target, args);
        if (!gate.open) throw new AppError('state_unavailable', 'killed');
        return answer;
      };
    },
  });
}
