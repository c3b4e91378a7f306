/**
 * The histories of single runs and results, folded from their streams in the log. So they show every write that was
 * answered, without a wait for the read models.
 */
import { outbox, teamWebhookDocuments } from '../../projections/outbox.js';
import type { Ledger } from '../commands/ledger.js';
import { teamStream } from '../commands/teams.js';
import type { Happened } from '../domain/decider.js';
import type { DeliveryState } from '../domain/delivery.js';
import type { RecordedEvent, StreamName } from '../domain/event.js';
import type { EventType } from '../domain/events.js';
import { historyEntry, results, runs, type HistoryEntry, type Kind } from '../domain/history/history.js';
import { notFound } from '../domain/life.js';
import { possibleMessages } from '../domain/message-types.js';
import { streamNameOf } from '../domain/team-streams.js';
import { team as teamDecider } from '../domain/team.js';
import { deliveryIdOf, eventIdOf, testIdOf } from '../domain/test-history/test.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../log/streams.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import type { CountedPage } from './find-page.js';

export type ShownDelivery = { id: string; webhook_id: string; state: DeliveryState };

export type ShownEntry = HistoryEntry & { deliveries?: ShownDelivery[] };

/** `withDeliveries`: each entry shows the deliveries that its event caused, to webhooks that still exist. */
export type HistoryPart = { offset: number; limit: number; withDeliveries: boolean };

/** `lookups`: the number of deliveries that were looked for. `total` counts all events; each of them was read. */
export type HistoryPage = CountedPage<ShownEntry> & { lookups: number };

export type Histories = {
  /** @throws LedgerError `not_found` for an id that is malformed, unknown, or another team's */
  ofRun(team: string, id: string, part: HistoryPart): Promise<HistoryPage>;
  /** @throws LedgerError `not_found` also for a result that is deleted */
  ofResult(team: string, id: string, part: HistoryPart): Promise<HistoryPage>;
};

export type HistoryStores = {
  ledger: Ledger;
  log: StreamReader;
  /** The views of the outbox. */
  views: ViewReader;
  deliveries: Deliveries;
};

/** `test`: the test of the event's result; null for a run. */
type Entry = { shown: HistoryEntry; cause: { id: string; type: EventType }; test: string | null };

export function openHistories({ ledger, log, views, deliveries }: HistoryStores): Histories {
  const outboxViews = typedViews(views, outbox);

  /** Returns the name of a key, null for one that is not known any more. */
  async function keyNames(team: string): Promise<(key: string) => string | null> {
    const state = await ledger.load(teamDecider, teamStream(team));
    const keys = state.life === 'present' ? state.keys : [];
    const names = new Map(keys.map(({ key_id, name }) => [key_id, name]));
    return (key) => names.get(key) ?? null;
  }

  async function page<S extends { life: string }, T extends EventType>(
    kind: Kind<S, T>,
    stream: StreamName,
    { team, part, testOf }: { team: string; part: HistoryPart; testOf: (state: S) => string | null },
  ): Promise<HistoryPage> {
    const nameOf = await keyNames(team);
    const entries: Entry[] = [];
    let state: S = kind.decider.initial;
    let total = 0;
    for await (const events of streamWithOrigin(log, stream)) {
      for (const recorded of events) {
        const event = recorded as RecordedEvent & Happened<T>;
        const before = state;
        state = kind.decider.evolve(before, event);
        if (total >= part.offset && total < part.offset + part.limit) {
          const shown = historyEntry(kind, event, { before, after: state, nameOf });
          entries.push({ shown, cause: { id: event.id, type: event.type }, test: testOf(state) });
        }
        total += 1;
      }
    }
    if (state.life !== 'present') notFound(kind.name);
    if (!part.withDeliveries) return { items: entries.map(({ shown }) => shown), total, lookups: 0 };
    return { ...(await withDeliveries(team, entries)), total };
  }

  async function withDeliveries(team: string, entries: readonly Entry[]) {
    const [document] = await outboxViews.get(teamWebhookDocuments, [team]);
    const webhooks = document?.webhooks ?? [];
    const wanted = entries.map(({ cause, test }) =>
      possibleMessages(cause, test).flatMap((uuid) =>
        webhooks.map(({ webhook_id }) => deliveryIdOf(webhook_id, eventIdOf(uuid))),
      ),
    );
    const ids = wanted.flat();
    const found = new Map((await deliveries.statesOf(ids)).map((delivery) => [delivery.id, delivery]));
    const items = entries.map(({ shown }, n) => ({
      ...shown,
      deliveries: wanted[n]!.flatMap((id) => found.get(id) ?? []),
    }));
    return { items, lookups: ids.length };
  }

  return {
    ofRun: (team, id, part) => page(runs, streamNameOf('run', team, id), { team, part, testOf: () => null }),
    ofResult: (team, id, part) =>
      page(results, streamNameOf('result', team, id), {
        team,
        part,
        testOf: (state) => (state.life === 'present' ? testIdOf(state.project_id, state.test_name) : null),
      }),
  };
}

/** The pages of a stream, after the event with which a result of a bulk submission began. */
async function* streamWithOrigin(
  log: StreamReader,
  stream: StreamName,
): AsyncGenerator<readonly RecordedEvent[], void> {
  const origin = await readBulkOrigin(log, stream);
  if (origin !== null) yield [origin];
  yield* streamPages(log, stream);
}
