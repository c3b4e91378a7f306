/**
 * What a webhook would have sent in the last days, before there is one. The outbox has the messages of all events, whether
 * anybody was subscribed or not, or has that of the run from which they follow, so nothing is folded or queued for it.
 */
import { history } from '../../../projections/history/history.js';
import { messageDocuments, type MessageDocument } from '../../../projections/outbox/messages.js';
import { addMilliseconds } from '../../clock.js';
import type { Instant } from '../../domain/event.js';
import { isSubscribed, type WantedWebhook } from '../../domain/messages/webhook.js';
import { limits } from '../../limits.js';
import type { Cursor, ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { inFormat } from '../delivery/bodies.js';
import { withGroups } from '../outbox/group-messages.js';
import type { Render } from '../outbox/payload.js';

const PAGE = 500;
const EXAMPLES = 3;
/** Whoever previews waits for it, and others read the same views. */
const LONGEST_MS = 5_000;

export type PreviewOptions = {
  /** The views of the history. */
  views: ViewReader;
  render: Render;
  /** As that of `openBodies`. */
  origin: string | null;
  /** For tests. */
  mostResults?: number;
  longestMs?: number;
};

export type Preview = {
  /** How many it would have sent. */
  messages: number;
  /** The bodies of the newest of them. */
  examples: string[];
  /** From when on messages were looked at. */
  since: Instant;
  /** Whether these are all of the last days. */
  complete: boolean;
};

/** @throws AppError `views_unavailable`, `log_unavailable`, `internal` for a chat without an origin */
export async function preview(
  {
    views,
    render,
    origin,
    mostResults = limits.webhookPreviewResults,
    longestMs = LONGEST_MS,
  }: PreviewOptions,
  { team, webhook, now }: { team: string; webhook: Omit<WantedWebhook, 'origin' | 'sealed'>; now: Instant },
): Promise<Preview> {
  const until = performance.now() + longestMs;
  const since = addMilliseconds(now, -limits.webhookPreviewMs);
  const newest: MessageDocument[] = [];
  let [messages, results] = [0, 0];
  let end: Instant | null = null;
  for await (const page of newestFirst(views, { team, since })) {
    for (const message of webhook.per === 'group' ? withGroups(page) : page) {
      if (message.about.kind === 'result' && (results += 1) > mostResults) break;
      end = message.at;
      if (!isSubscribed(webhook, message)) continue;
      messages += 1;
      if (newest.length < EXAMPLES) newest.push(message);
    }
    if (results > mostResults || performance.now() > until) {
      return { messages, examples: await examplesOf(newest), since: end ?? now, complete: false };
    }
  }
  return { messages, examples: await examplesOf(newest), since, complete: true };

  async function examplesOf(found: readonly MessageDocument[]): Promise<string[]> {
    const { per = 'test', filter = null, format = 'standard' } = webhook;
    const rendered = await render(found, { per, filter });
    return rendered.map(({ body }) => inFormat(body, format, { origin, team }));
  }
}

async function* newestFirst(
  views: ViewReader,
  { team, since }: { team: string; since: Instant },
): AsyncGenerator<MessageDocument[]> {
  for (let after: Cursor | null | undefined; after !== null;) {
    const { items, next } = await typedViews(views, history).find(messageDocuments, {
      where: { team_id: team },
      sort: { field: 'at', direction: 'descending' },
      range: { from: since },
      limit: PAGE,
      ...(after && { after }),
    });
    yield items;
    after = next;
  }
}
