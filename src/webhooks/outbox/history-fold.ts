/**
 * The fold of the history: expand chunks → derive changes → fold → append transitions → commit.
 *
 * Takes: batches of the feed. Gives: the documents of the history (`projections/history/history.ts`), and in the streams of
 * tests, groups, runs and projects what follows from results and runs. It loses nothing: the transitions of a batch are appended before its
 * checkpoint. It appends each transition once: ids and revisions follow from the fold, so a repeated batch appends the
 * same events again, to no effect (docs/decisions/014).
 */
import { history } from '../../../projections/history/history.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { followedDocuments } from '../../../projections/history/followed.js';
import { transitionDocuments } from '../../../projections/history/transitions.js';
import type { Clock } from '../../clock.js';
import { laterPosition, START, type Position } from '../../domain/event.js';
import { ALL_PARTITIONS, partitionOf, type Partition, type Partitions } from '../../domain/partition.js';
import { asMessage, eventPositionOf, type Message } from '../../domain/messages/message.js';
import { historyEvent } from '../../domain/test-history/result-change.js';
import { eachItem } from '../../log/item-events.js';
import type { EventLog } from '../../ports/event-log.js';
import type { State } from '../../ports/state.js';
import type { Change, ViewWriter } from '../../ports/views.js';
import { appendAll, transitionsIn } from './append-transitions.js';
import { foldInto, type OpenFold } from '../../projecting/fold.js';

export type HistoryFoldOptions = {
  log: Pick<EventLog, 'append' | 'readStream' | 'head'>;
  views: ViewWriter;
  state: State;
  clock: Clock;
  /** Called after each commit with its messages that have targets, in order. A rebuild has none that were told before. */
  committed?: (messages: readonly Message[]) => void;
};

/** Under load, messages may be this much later. */
export const GATHER_MS = 100;

const [KIND, KEY] = ['history', 'appended'];
const SAVE_EVERY_MS = 10_000;

/** For the projector of the history. */
export function openHistoryFold(options: HistoryFoldOptions): OpenFold {
  const { log, views } = options;
  const appended = openTransitionsCheckpoint(options);
  return foldInto(history, views, {
    derive: (event) => eachItem(event).map(historyEvent),
    async beforeCommit(changes) {
      const appendedTo = await appended.positions();
      const transitions = changes.flatMap(transitionsIn);
      // A rebuild folds the whole history: what was appended before must not be appended again.
      await appendAll(
        log,
        transitions.filter(({ cause }) => cause.position > appendedTo(cause.meta.team_id)),
      );
      return changes.filter(({ collection }) => !neverStored.has(collection));
    },
    async afterCommit(changes, { partitions, to }) {
      const appendedTo = await appended.positions();
      const messages = changes
        .filter(({ collection }) => collection === 'messages')
        .map(messageIn)
        .filter(({ outgoing }) => outgoing !== null)
        .filter(({ team_id, place }) => eventPositionOf(place) > appendedTo(team_id));
      await appended.moveTo(partitions, to);
      if (messages.length > 0) options.committed?.(messages.map(asMessage));
    },
  });
}

function messageIn({ after }: Change): MessageDocument {
  return after as unknown as MessageDocument;
}

const neverStored = new Set([transitionDocuments.name, followedDocuments.name]);

type TransitionsCheckpoint = {
  /** The log has all transitions of a team up to the position that the answer returns for it. */
  positions(): Promise<(team: string) => Position>;
  moveTo(partitions: Partitions, position: Position): Promise<void>;
};

type StoredCheckpoint = { positions: Readonly<Record<Partition, Position>> };

/** In State, but saved only from time to time: the transitions after it are appended again, to no effect. */
function openTransitionsCheckpoint({ log, state, clock }: HistoryFoldOptions): TransitionsCheckpoint {
  let reached: Map<Partition, Position> | null = null;
  let savedAt = 0;
  const load = async () => (reached ??= await saved());
  async function saved(): Promise<Map<Partition, Position>> {
    const positions = (await state.get<StoredCheckpoint>(KIND, KEY))?.value.positions ?? {};
    // A log that was restored from a backup ends before the checkpoint: its next events need their own transitions.
    const head = await log.head();
    const within = (one: Position) => (one <= head ? one : START);
    return new Map(ALL_PARTITIONS.split('').map((each) => [each, within(positions[each] ?? START)]));
  }
  return {
    async positions() {
      const known = await load();
      return (team) => known.get(partitionOf(team)) ?? START;
    },
    async moveTo(partitions, to) {
      const known = await load();
      for (const each of partitions) known.set(each, laterPosition(known.get(each) ?? START, to));
      const now = clock().getTime();
      if (now - savedAt < SAVE_EVERY_MS) return;
      savedAt = now;
      await state.put<StoredCheckpoint>(
        KIND,
        KEY,
        { positions: Object.fromEntries(known) },
        { expected: 'any' },
      );
    },
  };
}
