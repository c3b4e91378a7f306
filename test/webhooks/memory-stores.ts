/** The stores of the fan-out in memory, so that a test can make any of their calls the last one. */
import { ALL_PARTITIONS, partitionOf } from '../../src/domain/partition.js';
import { history } from '../../projections/history/history.js';
import type { MessageDocument } from '../../projections/outbox/messages.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { ViewQuery, ViewReader } from '../../src/ports/views.js';
import type { State } from '../../src/ports/state.js';
import type { Delivery } from '../../src/domain/messages/delivery.js';
import type { SubscribedWebhook } from '../../src/domain/messages/webhook.js';
import { outboxPosition, eventPositionOf } from '../../src/domain/messages/message.js';
import { deliveryIdOf, eventIdOf } from '../../src/domain/test-history/test.js';
import { NOW } from '../stores.js';
import { newIds } from '../../src/commands/ids.js';

export const team = newIds.created('team');
/** The ids of webhooks, the same in every test. */
export const webhooks = [0, 1, 2].map(() => newIds.created('webhook'));

/** Called before each call of a store. It may throw to refuse the call. */
export type Before = (call: string) => void;

export function positionOf(n: number): string {
  return String(n).padStart(20, '0');
}

/** The n-th message, at the n-th position. */
export function messageAt(n: number, more: Partial<MessageDocument> = {}): MessageDocument {
  return {
    place: outboxPosition(positionOf(n), 0),
    event_id: eventIdOf(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
    type: 'test.failed',
    team_id: team,
    subject: `test_${n % 4}`,
    at: NOW,
    targets: [webhooks[0]!],
    outgoing: partitionOf(team),
    about: { kind: 'webhook', webhook_id: webhooks[0]! },
    ...more,
  };
}

export type MemoryOutbox = ViewReader & {
  /** Folds up to a position: later messages are not visible yet. */
  fold(to: string): void;
  add(message: MessageDocument): void;
  webhooks: SubscribedWebhook[];
  readonly messages: readonly MessageDocument[];
};

/** The views of an outbox with all added messages, up to the position to which it is folded. */
export function outboxOf(all: readonly MessageDocument[] = []): MemoryOutbox {
  const messages = [...all];
  let to = '~';
  const reader: MemoryOutbox = {
    messages,
    webhooks: webhooks.map((webhook_id) => ({
      webhook_id,
      events: ['*'],
      project_ids: null,
      enabled: true,
      since: '',
    })),
    add: (message) => void messages.push(message),
    fold: (position) => (to = position),
    position: async (_name, wait) => {
      // Stands for a wait that times out.
      if (wait?.atLeast !== undefined && to < wait.atLeast)
        await new Promise((resolve) => setTimeout(resolve, 2));
      return to;
    },
    checkpoints: async () => [{ partitions: ALL_PARTITIONS, position: to, epoch: 1 }],
    lastEvent: async () => null,
    get: async (_spec, collection, ids) => {
      if (collection !== 'team_webhooks') throw new Error(`no ${collection} here`);
      const known = reader.webhooks.filter(({ since }) => since <= to);
      return ids.map((id) => (id === team ? { position: to, webhooks: known } : null));
    },
    find: async (spec, collection, query) => {
      mustBeIndexed(spec.name, collection, query);
      const { from = '', to: before = '~' } = query.range ?? {};
      const items = messages
        .filter(
          ({ outgoing, place }) =>
            outgoing === query.where['outgoing'] &&
            place > from &&
            place < before &&
            eventPositionOf(place) <= to,
        )
        .sort((one, other) => (one.place < other.place ? -1 : 1))
        .slice(0, query.limit);
      return { items: items as never[], next: null };
    },
    close: async () => undefined,
  };
  return reader;
}

function mustBeIndexed(projection: string, collection: string, { where, sort, range }: ViewQuery): void {
  const wanted = JSON.stringify([...Object.keys(where), sort.field]);
  const { indexes = [] } = history.collections.find(({ name }) => name === collection) ?? {};
  const served = indexes.some((index) => JSON.stringify(index) === wanted);
  if (projection !== history.name || !served || range?.exclusive !== true) {
    throw new Error(`no index of ${collection} serves ${wanted}`);
  }
}

/** A State without expiry. */
export function stateOf(): State {
  const entries = new Map<string, { value: unknown; version: number }>();
  let version = 0;
  return {
    get: async <T>(kind: string, key: string) => {
      const found = entries.get(`${kind}/${key}`);
      return found === undefined
        ? null
        : { key, value: structuredClone(found.value) as T, version: found.version };
    },
    put: async (kind, key, value, { expected }) => {
      const found = entries.get(`${kind}/${key}`)?.version ?? 'absent';
      if (expected !== 'any' && expected !== found) return null;
      version += 1;
      entries.set(`${kind}/${key}`, { value: structuredClone(value), version });
      return version;
    },
    remove: async (kind, key) => entries.delete(`${kind}/${key}`),
    list: async <T>(kind: string) =>
      [...entries]
        .filter(([key]) => key.startsWith(`${kind}/`))
        .map(([key, { value, version }]) => ({
          key: key.slice(kind.length + 1),
          value: structuredClone(value) as T,
          version,
        })),
    purge: async () => 0,
    singleServer: true,
    close: async () => undefined,
  };
}

/** Deliveries in the order of their adding. */
export function deliveriesOf(): Pick<Deliveries, 'add'> & { readonly all: readonly Delivery[] } {
  const all = new Map<string, Delivery>();
  return {
    get all() {
      return [...all.values()];
    },
    add: async (deliveries) => {
      const before = all.size;
      for (const each of deliveries) if (!all.has(each.id)) all.set(each.id, each);
      return all.size - before;
    },
  };
}

/** The ids of the deliveries that these messages must get, in order. */
export function expectedDeliveries(messages: readonly MessageDocument[]): string[] {
  return [...messages]
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .flatMap(({ targets, event_id }) => targets.map((webhook) => deliveryIdOf(webhook, event_id)));
}

/** The same port, with `before` called before each call and after it. */
export function watched<T extends object>(name: string, port: T, before: Before): T {
  return new Proxy(port, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      return async (...call: unknown[]): Promise<unknown> => {
        before(`${name}.${String(key)}`);
        const done: unknown = await (value as (...all: unknown[]) => unknown)(...call);
        // The call may succeed and its answer be lost.
        before(`${name}.${String(key)} done`);
        return done;
      };
    },
  });
}
