/**
 * The histories of single runs and results, folded from their streams in the log. So they show every write that was
 * answered, without a wait for the read models.
 */
import { setImmediate } from 'node:timers/promises';
import { history } from '../../projections/history/history.js';
import { teamWebhookDocuments } from '../../projections/outbox/team-webhooks.js';
import { mustSee, type Reader } from '../domain/teams/access.js';
import type { Happened } from '../domain/decider.js';
import type { DeliveryState } from '../domain/messages/delivery.js';
import type { RecordedEvent, StreamName } from '../domain/event.js';
import type { EventType } from '../domain/events.js';
import { historyEntry, results, runs, type HistoryEntry, type Kind } from '../domain/history/history.js';
import { notFound } from '../domain/life.js';
import { isPurged } from '../domain/redaction/purged.js';
import { possibleMessages, type SubjectsOfCause } from '../domain/messages/message-types.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import type { Result } from '../domain/results/result.js';
import type { FailureGroup } from '../domain/test-history/result-facts.js';
import { deliveryIdOf, eventIdOf, testIdOf } from '../domain/test-history/test.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../log/streams.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import type { CountedPage } from './find-page.js';
import type { ActorNames } from './actor-names.js';

export type ShownDelivery = { id: string; webhook_id: string; state: DeliveryState };

export type ShownEntry = HistoryEntry & { deliveries?: ShownDelivery[] };

/** `withDeliveries`: each entry shows the deliveries that its event caused, to webhooks that still exist. */
export type HistoryPart = { offset: number; limit: number; withDeliveries: boolean };

/**
 * `total`: the number of all events. `work`: what it took, as the replay counts it: 1 for 250 events or 256 KiB that
 * were read, or 250 deliveries that were looked for.
 */
export type HistoryPage = CountedPage<ShownEntry> & { work: number };

export type Histories = {
  /** @throws AppError `not_found` for an id that is malformed, unknown, or that does not exist for the reader */
  ofRun(reader: Reader, id: string, part: HistoryPart): Promise<HistoryPage>;
  /** @throws AppError `not_found` also for a result that is deleted */
  ofResult(reader: Reader, id: string, part: HistoryPart): Promise<HistoryPage>;
};

export type HistoryStores = {
  actors: ActorNames;
  log: StreamReader;
  /** The views of the history. */
  views: ViewReader;
  deliveries: Deliveries;
};

const PER_WORK = 250;
/** A page of a stream that is not the last has 1,000 events or 1 MiB. */
const WORK_OF_FULL_PAGE = 4;
/** The ids of deliveries that are made before other work has its turn. */
const IDS_AT_ONCE = 500;

type Entry = { shown: HistoryEntry; cause: { id: string; type: EventType }; subjects: SubjectsOfCause };

type HistoryWanted<S> = {
  reader: Reader;
  part: HistoryPart;
  /** What the messages of an event may be about, by the state after it. */
  subjectsOf: (state: S) => Omit<SubjectsOfCause, 'group'>;
};

export function openHistories({ actors, log, views, deliveries }: HistoryStores): Histories {
  const historyViews = typedViews(views, history);

  async function page<S extends { life: string }, T extends EventType>(
    kind: Kind<S, T>,
    stream: StreamName,
    { reader, part, subjectsOf }: HistoryWanted<S>,
  ): Promise<HistoryPage> {
    const { team_id: team } = reader;
    const nameOf = await actors(team);
    const entries: Entry[] = [];
    let state: S = kind.decider.initial;
    let total = 0;
    let work = 0;
    let workOfLast = 0;
    for await (const events of streamWithOrigin(log, stream)) {
      work += workOfLast === 0 ? 0 : WORK_OF_FULL_PAGE;
      workOfLast = events.length / PER_WORK;
      for (const recorded of events) {
        const event = recorded as RecordedEvent & Happened<T>;
        if (isPurged(event)) notFound(kind.name);
        const before = state;
        state = kind.decider.evolve(before, event);
        if (total >= part.offset && total < part.offset + part.limit) {
          const name = await nameOf(event.meta.actor);
          const shown = historyEntry(kind, event, { before, after: state, name });
          entries.push({
            shown,
            cause: { id: event.id, type: event.type },
            subjects: { ...subjectsOf(state), group: groupIn(event) },
          });
        }
        total += 1;
      }
    }
    if (state.life !== 'present') notFound(kind.name);
    mustSee(reader, projectOf(state), kind.name);
    work += workOfLast;
    if (!part.withDeliveries) return { items: entries.map(({ shown }) => shown), total, work };
    const { items, lookups } = await withDeliveries(team, entries);
    return { items, total, work: work + lookups / PER_WORK };
  }

  async function withDeliveries(team: string, entries: readonly Entry[]) {
    const [document] = await historyViews.get(teamWebhookDocuments, [team]);
    const webhooks = document?.webhooks ?? [];
    const wanted: string[][] = [];
    let made = 0;
    for (const { cause, subjects } of entries) {
      const ids = possibleMessages(cause, subjects).flatMap((uuid) =>
        webhooks.map(({ webhook_id }) => deliveryIdOf(webhook_id, eventIdOf(uuid))),
      );
      wanted.push(ids);
      made += ids.length;
      if (made < IDS_AT_ONCE) continue;
      await setImmediate();
      made = 0;
    }
    const ids = wanted.flat();
    const found = new Map((await deliveries.statesOf(ids)).map((delivery) => [delivery.id, delivery]));
    const items = entries.map(({ shown }, n) => ({
      ...shown,
      deliveries: wanted[n]!.flatMap((id) => found.get(id) ?? []),
    }));
    return { items, lookups: ids.length };
  }

  return {
    ofRun: (reader, id, part) =>
      page(runs, streamNameOf('run', reader.team_id, id), {
        reader,
        part,
        subjectsOf: (state) => ({ test: null, run: id, project: projectOf(state) }),
      }),
    ofResult: (reader, id, part) =>
      page(results, streamNameOf('result', reader.team_id, id), {
        reader,
        part,
        subjectsOf: (state) => ({ test: testOf(state), run: null, project: projectOf(state) }),
      }),
  };
}

function testOf(state: Result): string | null {
  return state.life === 'present' ? (state.test_id ?? testIdOf(state.project_id, state.test_name)) : null;
}

/** The group of the failure that an event sets. */
function groupIn({ meta }: RecordedEvent): string | null {
  const group = meta.facts?.['group'] as FailureGroup | undefined;
  return group?.id ?? null;
}

function projectOf(state: { life: string; project_id?: string }): string | null {
  return state.project_id ?? null;
}

/** The pages of a stream. Before the first event is the one with which a result of a bulk submission began. */
async function* streamWithOrigin(
  log: StreamReader,
  stream: StreamName,
): AsyncGenerator<readonly RecordedEvent[], void> {
  let origin = await readBulkOrigin(log, stream);
  for await (const events of streamPages(log, stream)) {
    yield origin === null ? events : [origin, ...events];
    origin = null;
  }
  if (origin !== null) yield [origin];
}
