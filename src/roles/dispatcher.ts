/**
 * The role `dispatcher`, in the thread `webhooks`: makes the deliveries of each message and POSTs them to the endpoints
 * of webhooks. Two loops: `runFanOut`, which each commit of the history wakes, and `runDispatcher`, which the first wakes.
 */
import { secretKeysOf } from '../adapters/files/secret-key.js';
import { openCommandHandler } from '../commands/command-handler.js';
import { lookTogether } from '../concurrency/look-together.js';
import { openBodies } from '../webhooks/delivery/bodies.js';
import { runDispatcher } from '../webhooks/delivery/dispatcher.js';
import { openTitles } from '../queries/titles.js';
import { openPost } from '../webhooks/delivery/post.js';
import { openSecrets } from '../webhooks/endpoint/secrets.js';
import { runFanOut } from '../webhooks/fan-out/fan-out.js';
import type { Unread } from '../webhooks/fan-out/unread.js';
import { findMessages } from '../webhooks/outbox/find-messages.js';
import { openRenderer } from '../webhooks/outbox/payload.js';
import type { AttemptMade, RoleContext } from './role-context.js';
import type { WebhookStores } from './webhook-stores.js';

/** Runs until the thread is stopped. An attempt that does not end soon after that stays unrecorded and is made again. */
export async function runDispatcherRole(
  { config, loop, log: line, logFailure, tell }: RoleContext,
  { log, reader, state, deliveries, contents, masks }: WebhookStores,
  unread: Unread,
): Promise<void> {
  const fanOutFailed = logFailure('the fan-out');
  const poster = openPost({
    allow: config.webhookAllow,
    refused: (address, name) =>
      line('warn', { address, name }, 'a webhook leads to an address that is not allowed'),
  });
  const attempts = gather((made) => tell('attempts', made));
  // Deliveries ask one by one, and a look takes longer than the rest of their rendering.
  const marked = lookTogether(contents.marked);
  const secrets = openSecrets(state, await secretKeysOf(config));
  const dispatcher = runDispatcher({
    ...loop,
    deliveries,
    state,
    commands: openCommandHandler(log),
    secrets: secrets.secretsOf,
    urlOf: secrets.urlOf,
    post: poster.post,
    messagesOf: (sent) => findMessages(reader, sent),
    bodyOf: openBodies({
      views: reader,
      render: openRenderer(log, {
        titles: lookTogether(openTitles(contents)),
        marked,
        unmasked: async (team) => (await masks.current()).unmasked(team),
      }),
      forgotten: log.forgotten,
      marked,
      origin: config.publicUrl,
    }),
    historyMs: config.webhookHistoryMs,
    report: logFailure('delivering'),
    metrics: {
      attempt: attempts.add,
      disabled(reason, webhook) {
        line('warn', { webhook_id: webhook, reason }, 'a webhook was disabled');
        tell('disabled', reason);
      },
    },
  });
  await Promise.all([
    dispatcher.done,
    runFanOut({
      ...loop,
      head: log.head,
      views: reader,
      state,
      deliveries,
      unread,
      report: ({ error }) => fanOutFailed(error),
      added: dispatcher.wake,
    }),
  ]);
  attempts.flush();
  poster.close();
}

/** A message to the main thread costs as much as a tenth of an attempt. */
const GATHER_MS = 100;

/** Posts attempts for the metrics a moment later, many at a time. */
function gather(postAll: (made: AttemptMade[]) => void) {
  let made: AttemptMade[] = [];
  let later: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(later);
    later = undefined;
    if (made.length > 0) postAll(made);
    made = [];
  };
  return {
    add(outcome: AttemptMade['outcome'], ms: number): void {
      made.push({ outcome, ms });
      later ??= setTimeout(flush, GATHER_MS);
    },
    flush,
  };
}
