/**
 * The publisher's pass: folds the histories of tests and notes what webhooks may be told, in one go and with one
 * checkpoint. What follows for a test is appended to the test's stream before that checkpoint: ids and revisions follow
 * from the fold, so whoever folds the same events again appends the same (docs/decisions/014).
 */
import { messagesOf, type Trigger } from '../../../projections/messages.js';
import { outbox } from '../../../projections/publication.js';
import { publicationFold } from '../../../projections/publication-fold.js';
import { later, START, type Position, type RecordedEvent } from '../../domain/event.js';
import {
  openBuild,
  type BuildStart,
  type BuildStore,
  type FoldBatch,
  type OpenFold,
} from '../../projecting/build.js';
import type { Clock } from '../../clock.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import { foldBatch } from '../../projecting/fold.js';
import type { Change, ViewWriter } from '../../ports/views.js';
import type { EventLog } from '../../ports/event-log.js';
import type { State } from '../../ports/state.js';
import { openEnricher, type Enricher } from './enrich.js';
import { appendTransition, transitionsOf, type TestTransition } from './transitions.js';

export type OutboxOptions = {
  log: Pick<EventLog, 'append' | 'readStream' | 'head'>;
  views: ViewWriter;
  state: State;
  clock: Clock;
  /** Told after each commit that has messages. */
  published?: () => void;
};

/** While much comes in, messages may come so much later. */
export const GATHER_MS = 100;

const KIND = 'publication';
const KEY = 'appended';
const APPENDED_AT_ONCE = 64;
const SAVED_EVERY_MS = 10_000;

/** For the runner of the projection `publication`. */
export function openOutboxFold(options: OutboxOptions): OpenFold {
  const telling = openEnricher(options.log);
  const appended = openWatermark(options);
  return (begun) => folder(options, telling, appended, begun);
}

function folder(
  options: OutboxOptions,
  telling: Enricher,
  appended: Watermark,
  begun: BuildStart,
): FoldBatch {
  const store = openBuild(outbox, options.views, begun);
  return async ({ events, position: to }) => {
    if (to === store.position()) return to;
    const { occasions, changes } = await folded(telling, store, events);
    const known = await appended.position();
    // What was appended once is not again: a rebuild folds the whole history, and appends nothing of it.
    await appendAll(
      options.log,
      occasions.filter(({ event }) => event.position > known),
    );
    const messages = occasions.flatMap(messageChanges);
    const reached = await store.commit([...changes, ...messages], to);
    await appended.moved(to);
    if (messages.length > 0) options.published?.();
    return reached;
  };
}

async function folded(
  telling: Enricher,
  store: BuildStore,
  events: readonly RecordedEvent[],
): Promise<{ occasions: Trigger[]; changes: Change[] }> {
  const occasions: Trigger[] = [];
  const fold = publicationFold((occasion) => void occasions.push(occasion));
  const changes = await foldBatch(fold, store.load, await telling.tell(events));
  return { occasions, changes };
}

/** Tests in any order, what follows for one of them in its own. */
async function appendAll(log: OutboxOptions['log'], occasions: readonly Trigger[]): Promise<void> {
  const byStream = new Map<string, TestTransition[]>();
  for (const transition of occasions.flatMap(transitionsOf)) {
    const { stream } = transition;
    byStream.set(stream, [...(byStream.get(stream) ?? []), transition]);
  }
  await forEachConcurrent([...byStream.values()], APPENDED_AT_ONCE, async (transitions) => {
    for (const transition of transitions) await appendTransition(log, transition);
  });
}

function messageChanges(occasion: Trigger): Change[] {
  const { position } = occasion.event;
  return messagesOf(occasion).map((message) => {
    const after = { ...message, position };
    return { collection: 'messages', id: message.event_id, before: null, after };
  });
}

type Watermark = {
  /** All transitions up to here are in the log. */
  position(): Promise<Position>;
  moved(to: Position): Promise<void>;
};

/** Kept in State, and there only now and then: what lies behind it is appended again, to no effect. */
function openWatermark({ log, state, clock }: OutboxOptions): Watermark {
  let reached: Position | null = null;
  let savedAt = 0;
  const position = async () => (reached ??= await saved());
  async function saved(): Promise<Position> {
    const entry = await state.get<{ position: Position }>(KIND, KEY);
    // A log that was put back from a backup: what follows in it is not what followed then.
    return entry !== null && entry.value.position <= (await log.head()) ? entry.value.position : START;
  }
  return {
    position,
    async moved(to) {
      const before = await position();
      if (to <= before) return;
      reached = later(before, to);
      const now = clock().getTime();
      if (now - savedAt < SAVED_EVERY_MS) return;
      savedAt = now;
      await state.put(KIND, KEY, { position: reached }, { expected: 'any' });
    },
  };
}
