/** The outbox projector over a given history, with all stores in memory. */
import { plainContents } from '../../plain-contents.js';
import { ALL_PARTITIONS } from '../../../src/domain/partition.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { withGroups } from '../../../src/webhooks/outbox/group-messages.js';
import { openRenderer } from '../../../src/webhooks/outbox/payload.js';
import type { Message, RenderedMessage } from '../../../src/domain/messages/message.js';
import { openHistoryFold } from '../../../src/webhooks/outbox/history-fold.js';
import type { FoldMove } from '../../../src/projecting/fold.js';
import { openMemoryLog } from './memory-log.js';
import type { Document } from '../../../src/domain/projection.js';
import { START, type Position } from '../../../src/domain/event.js';
import type { LedgerEvent, TestEvent } from '../../../src/domain/events.js';
import type { DocumentKey, ViewWriter } from '../../../src/ports/views.js';
import type { State } from '../../../src/ports/state.js';
import { NOW } from '../../stores.js';

type Streams = ReturnType<typeof openMemoryLog>;

export type FoldedOutbox = {
  documents: ReadonlyMap<string, Document>;
  /** In outbox order. */
  messages: MessageDocument[];
  /** The events of the tests' streams, in the order of their appends. */
  transitions: LedgerEvent<TestEvent>[];
};

/** A projector that goes on where it stopped at each `run`. `events`: in the order of the feed. */
export function openOutboxHarness(events: readonly LedgerEvent[], streams: Streams = openMemoryLog(events)) {
  const documents = new Map<string, string>();
  let entry: { position: Position } | null = null;
  let position: Position = START;
  let asked = 0;
  let time = Date.parse(NOW);
  // So that the checkpoint of the transitions is saved at each commit.
  const clock = () => new Date((time += 60_000));
  const told: Message[] = [];
  const failing = { appends: Infinity, commits: Infinity };
  let open: FoldMove | null = null;
  const state = {
    get: async () => (entry === null ? null : { key: '', value: entry, version: 1 }),
    put: async (_kind: string, _key: string, value: { position: Position }) => ((entry = value), 1),
  } as unknown as State;
  const views = {
    load: async (_spec: unknown, _build: number, keys: readonly DocumentKey[]) =>
      keys.map(({ collection, id }) => {
        const text = documents.get(`${collection}/${id}`);
        return text === undefined ? null : (JSON.parse(text) as Document);
      }),
    commit: async (_spec: unknown, { changes, to }: { changes: readonly Change[]; to: Position }) => {
      if ((failing.commits -= 1) < 0) throw new Error('died at a commit');
      for (const { collection, id, after } of changes) {
        if (after === null) documents.delete(`${collection}/${id}`);
        else documents.set(`${collection}/${id}`, JSON.stringify(after));
      }
      position = to;
    },
  } as unknown as ViewWriter;
  const log = {
    ...streams,
    head: async () => events.at(-1)?.position ?? START,
    append: (async (...args) => {
      asked += 1;
      if ((failing.appends -= 1) < 0) throw new Error('died at an append');
      return streams.append(...args);
    }) as typeof streams.append,
  };

  return {
    /** After this number of appends or commits, all fail. */
    failing,
    /** Deletes the documents, as a deletion of the views does, and keeps State. */
    forget() {
      documents.clear();
      position = START;
    },
    /** Folds to the end, in batches of these sizes in turn. `goesOn`: with the fold that is open, as after a fault of an event. */
    async run(sizes: readonly number[] = [1_000], { goesOn = false } = {}): Promise<void> {
      // As over a relay that never answers: no commit waits for it.
      const committed = (messages: readonly Message[]): unknown => {
        told.push(...messages);
        return new Promise(() => undefined);
      };
      if (open === null || !goesOn)
        open = openHistoryFold({ log, views, state, clock, committed })({ build: 1, epoch: 1 });
      const move = open;
      const rest = events.filter((event) => event.position > position);
      let at = position;
      for (let from = 0, batch = 0; from < rest.length; batch += 1) {
        const page = rest.slice(from, (from += sizes[batch % sizes.length]!));
        const to = page.at(-1)!.position;
        await move({ events: page, partitions: ALL_PARTITIONS, from: at, to });
        at = to;
      }
    },
    passed(): FoldedOutbox {
      const all = new Map([...documents].map(([key, text]) => [key, JSON.parse(text) as Document]));
      const messages = [...all]
        .filter(([key]) => key.startsWith('messages/'))
        .map(([, message]) => message as unknown as MessageDocument)
        .sort((one, other) => (one.place < other.place ? -1 : 1));
      return { documents: all, messages: withGroups(messages), transitions: streams.appended() };
    },
    /** The messages that the fan-out heard of. */
    told: () => told.splice(0),
    /** The number of appends that it tried. */
    asked: () => asked,
  };
}

type Change = DocumentKey & { after: Document | null };

export async function foldOutbox(
  events: readonly LedgerEvent[],
  sizes?: readonly number[],
): Promise<FoldedOutbox> {
  const passing = openOutboxHarness(events);
  await passing.run(sizes);
  return passing.passed();
}

/** The messages with their bodies, rendered from the log at its end. */
export function renderOf(
  events: readonly LedgerEvent[],
  messages: readonly MessageDocument[],
): Promise<RenderedMessage[]> {
  return openRenderer(openMemoryLog(events), plainContents)(messages);
}

export function bodyOf({ body }: RenderedMessage): { type: string; timestamp: string; data: Records } {
  return JSON.parse(body) as ReturnType<typeof bodyOf>;
}

type Records = Record<string, Record<string, unknown> | null>;
