/**
 * The bodies of deliveries, rendered when they are sent.
 *
 * A delivery holds no body: one submission of 0.2 MB with 4,000 failures made 170 MB of state for two webhooks when each
 * did. Takes: a delivery, and those that are sent after it. Gives: the bytes of its message, the same at each attempt. A
 * cache renders a message once for all webhooks of its team, and several messages of a run with one read of the run.
 */
import { LRUCache } from 'lru-cache';
import { chatBody } from '../../domain/messages/chat/chat-body.js';
import { isChat, type Format } from '../../domain/messages/chat/format.js';
import type { Delivery } from '../../domain/messages/delivery.js';
import type { WebhookRecord } from '../../domain/messages/webhook.js';
import type { MessageView } from '../../domain/messages/message-spec.js';
import { messageTypes } from '../../domain/messages/message-types.js';
import { fail } from '../../errors.js';
import { emptyWhenIdle } from '../../memory/collect-when-idle.js';
import type { EventLog } from '../../ports/event-log.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import type { Contents } from '../../ports/contents.js';
import type { ViewReader } from '../../ports/views.js';
import { findMessages } from '../outbox/find-messages.js';
import type { Render } from '../outbox/payload.js';

/**
 * The body of a delivery; null if its message is lost with a part of the log. `soon`: deliveries of the same webhook that
 * are sent next. @throws AppError `views_unavailable` while the outbox does not have the message,
 * `log_unavailable`, or the error because of which the message cannot be rendered.
 */
export type BodyOf = (
  delivery: Delivery,
  soon?: () => readonly Delivery[],
  webhook?: Viewing,
) => Promise<string | null>;

/** What of a webhook a body depends on. */
export type Viewing = Pick<WebhookRecord, 'per' | 'filter' | 'format'>;

type Rendered = { body: string } | 'behind' | 'lost';

/** A body has up to 20,000 bytes. Each character of a text takes up to two bytes of memory. */
const CACHE_BYTES = 32 * 1024 * 1024;
/**
 * Rendered together: as many bodies as fit, by the size of those in the cache. More would drive the bodies of other
 * webhooks out of the cache before they are sent.
 */
const TOGETHER = { most: 64, least: 16, bytes: 640 * 1024 };

type PayloadOptions = {
  /** The views of the history. */
  views: ViewReader;
  render: Render;
  /** As that of the log: a body may say what was redacted since it was rendered. */
  forgotten?: EventLog['forgotten'];
  /** A deletion of a result takes its contents out of the bodies that are kept. */
  marked: Contents['marked'];
  cacheBytes?: number;
};

export function openBodies({
  origin,
  ...options
}: PayloadOptions & {
  /** The address of this server, to which messages of chats link; null without one. */
  origin: string | null;
}): BodyOf {
  const payloadOf = openPayloads(options);
  return async (delivery, soon = () => [], { per = 'test', filter = null, format = 'standard' } = {}) => {
    const payload = await payloadOf(delivery, soon, { per, filter });
    return payload === null ? null : inFormat(payload, format, { origin, team: delivery.team_id });
  };
}

/** The payload of a delivery, in the form `standard`. */
type PayloadOf = (
  delivery: Delivery,
  soon: () => readonly Delivery[],
  view: MessageView,
) => Promise<string | null>;

function openPayloads({
  views,
  render,
  forgotten = () => 0,
  marked,
  cacheBytes = CACHE_BYTES,
}: PayloadOptions): PayloadOf {
  const ready = new LRUCache<string, Exclude<Rendered, string> & { results: readonly string[] }>({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }) => 2 * body.length + 200,
  });
  emptyWhenIdle(ready);
  const underWay = new Map<string, Promise<Rendered>>();
  let seen: number | undefined;

  async function renderAll(
    deliveries: readonly Delivery[],
    view: MessageView,
  ): Promise<Map<string, Rendered>> {
    const asOf = seen;
    const found = await findMessages(views, deliveries);
    const rendered = new Map<string, Rendered>();
    const messages = found.filter((each) => typeof each === 'object');
    found.forEach((each, n) => {
      if (typeof each === 'string') rendered.set(deliveries[n]!.event_id, each);
    });
    const results = new Map(messages.map((each) => [each.event_id, resultsOf(each)]));
    for (const { event_id, type, body } of await render(messages, view)) {
      rendered.set(event_id, { body });
      const key = keyOf({ event_id, type }, view);
      if (asOf === seen) ready.set(key, { body, results: results.get(event_id) ?? [] });
    }
    return rendered;
  }

  function atOnce(): number {
    const fitting = Math.floor((TOGETHER.bytes * ready.size) / ready.calculatedSize);
    return ready.size === 0 ? TOGETHER.least : Math.min(TOGETHER.most, Math.max(TOGETHER.least, fitting));
  }

  /** Renders what is neither rendered nor about to be, with the first delivery. */
  function begin(first: Delivery, soon: readonly Delivery[], view: MessageView): Promise<Rendered> {
    const isNew = (one: Delivery) => !ready.has(keyOf(one, view)) && !underWay.has(keyOf(one, view));
    const others = soon.filter((each) => each !== first && isNew(each));
    const together = [first, ...others.slice(0, atOnce() - 1)];
    const all = renderAll(together, view);
    for (const each of together) {
      const key = keyOf(each, view);
      const one = all
        .then((rendered) => rendered.get(each.event_id)!)
        .finally(() => underWay.get(key) === one && underWay.delete(key));
      // Perhaps no attempt waits for it.
      one.catch(() => undefined);
      underWay.set(key, one);
    }
    return underWay.get(keyOf(first, view))!;
  }

  async function dropForgotten(): Promise<void> {
    const now = await forgotten();
    if (now === seen) return;
    ready.clear();
    underWay.clear();
    seen = now;
  }

  return async (delivery, soon, view) => {
    await dropForgotten();
    const key = keyOf(delivery, view);
    const known = ready.get(key);
    if (known !== undefined) {
      const { body, results } = known;
      if (results.length === 0 || (await marked(results)).size === 0) return body;
      ready.delete(key);
    }
    const shared = underWay.get(key) ?? begin(delivery, soon(), view);
    // A message that cannot be rendered must not fail those that are rendered with it.
    const rendered = await shared.catch(() => begin(delivery, [], view));
    if (rendered === 'behind') fail('views_unavailable', 'The message is still being read from the log.');
    return rendered === 'lost' ? null : rendered.body;
  };
}

/**
 * The body that is sent, made of the payload. Webhooks of all formats share the payloads that are kept.
 * @throws AppError `internal` for a chat without an origin
 */
export function inFormat(
  payload: string,
  format: Format,
  { origin, team }: { origin: string | null; team: string },
): string {
  if (!isChat(format)) return payload;
  if (origin === null) fail('internal', 'Messages to a chat are links to this server: they need PUBLIC_URL.');
  return chatBody(payload, format, { origin, team });
}

/** Webhooks share the bodies that are the same for all of them. */
function keyOf(
  { event_id, type }: Pick<Delivery, 'event_id' | 'type'>,
  { per, filter }: MessageView,
): string {
  const isOwn = messageTypes[type].isFiltered === true || (type === 'run.completed' && per === 'run');
  return isOwn ? `${event_id}${per}${JSON.stringify(filter)}` : event_id;
}

function resultsOf({ about }: MessageDocument): readonly string[] {
  if (about.kind === 'group') return about.failed.parts.flatMap(({ examples }) => examples);
  return 'result_id' in about ? [about.result_id] : [];
}
