/**
 * The shell around the deciders: read → fold → decide → append, once for all of them. What it knows of a stream
 * is kept, and each use reads on from there, so that a write sees whatever any node has answered before.
 */
import { LRUCache } from 'lru-cache';
import type { Decider, Happened } from '../domain/decider.js';
import { CURRENT_VERSION, type EventType, type Fact } from '../domain/events.js';
import type { Instant, NewEvent, RecordedEvent, StreamName } from '../domain/event.js';
import { fail, isLedgerError } from '../errors.js';
import { coalesce } from '../concurrency/coalesce.js';
import { readBulkOrigin } from '../log/streams.js';
import { newIds, type Ids } from './ids.js';
import type { Appended, EventLog } from '../ports/event-log.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

/** Who commands, and with which ids and instant. */
export type CommandContext = {
  team: string;
  actor: string;
  at: Instant;
  correlationId: string;
  ids: Ids;
  /** An earlier try of the same request may have written already: look for its events first. */
  resumed: boolean;
};

/** Of what nobody asked for: the program does it of itself, each time under new ids. */
export function systemContext(team: string, at: Instant, correlationId: string): CommandContext {
  return { team, actor: 'system', at, correlationId, ids: newIds, resumed: false };
}

export type Executed<State> = { state: State; appended: Appended | null };

export type Ledger = {
  /** The state of a stream now. */
  load<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName): Promise<S>;
  /**
   * Decides a command on a stream and appends what happens. `command` may be a function of the state, for
   * checks that must not come before the search for an earlier try. `fresh`: the stream is named by an id that
   * was made up for this command, so it is taken to be empty; where it is not, the append says so.
   * @throws LedgerError what the decider throws; `write_conflict` when others keep getting in first;
   *   `log_unavailable`.
   */
  execute<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
    command: C | ((state: S) => Promise<C>),
    options?: { fresh?: boolean },
  ): Promise<Executed<S>>;
  /** The state that an earlier try of the same request left behind, or null where it wrote nothing. */
  answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
  ): Promise<S | null>;
};

const TRIES = 16;
const PAGE = 1_000;

type Kept = { state: unknown; revision: number };

const KEPT_BYTES = 24 * 1024 * 1024;

/** `keep`: streams whose state is remembered, at the most. */
export function openLedger(log: EventLog, { keep = 10_000 } = {}): Ledger {
  const kept = new LRUCache<StreamName, Kept>({
    max: keep,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ state }) => estimateBytes(state),
  });

  const reads = new Map<StreamName, { ask: () => Promise<Kept>; askers: number }>();

  /** Many write under the same run and project at once, and ask for its stream: one read, begun later, serves all. */
  async function read<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const shared = reads.get(stream) ?? { ask: coalesce(() => readOn(decider, stream)), askers: 0 };
    reads.set(stream, shared);
    shared.askers += 1;
    try {
      const { state, revision } = await shared.ask();
      return { state: state as S, revision };
    } finally {
      shared.askers -= 1;
      if (shared.askers === 0) reads.delete(stream);
    }
  }

  async function readOn<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const from = kept.get(stream) ?? (await beginning(decider, stream));
    let state = from.state as S;
    let revision = from.revision;
    for (;;) {
      const events = await log.readStream(stream, { from: revision + 1, limit: PAGE });
      for (const event of events) state = decider.evolve(state, asFact(event));
      // Not counted: a log may have passed over what others put into the stream.
      revision = events.at(-1)?.revision ?? revision;
      if (events.length < PAGE) break;
    }
    if (revision > from.revision || from.state !== decider.initial) kept.set(stream, { state, revision });
    return { state, revision };
  }

  /** Before the first event of the stream: nothing, or what was born elsewhere. */
  async function beginning<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const birth = await readBulkOrigin(log, stream);
    const state = birth === null ? decider.initial : decider.evolve(decider.initial, asFact(birth));
    return { state, revision: -1 };
  }

  async function answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    { ids }: CommandContext,
  ): Promise<S | null> {
    let { state } = await beginning(decider, stream);
    let found = 0;
    for (let from = 0; ;) {
      const events = await log.readStream(stream, { from, limit: PAGE });
      for (const event of events) {
        if (event.id === ids.event(stream, found)) found += 1;
        else if (found > 0) return state;
        state = decider.evolve(state, asFact(event));
      }
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return found > 0 ? state : null;
      from = last.revision + 1;
    }
  }

  return {
    load: async (decider, stream) => (await read(decider, stream)).state,
    answered,
    async execute(decider, stream, context, command, { fresh = false } = {}) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const unread = fresh && tries === 0 && !context.resumed;
        const { state, revision } = unread
          ? { state: decider.initial, revision: -1 }
          : await read(decider, stream);
        if (context.resumed) {
          // After the read, each time: what the earlier try writes later makes the append below a repeat or refused.
          const before = await answered(decider, stream, context);
          if (before !== null) return { state: before, appended: null };
        }
        const wanted = typeof command === 'function' ? await (command as Function)(state) : command;
        const facts = decider.decide(wanted, state);
        if (facts.length === 0) return { state, appended: null };
        const events = facts.map((fact, n) => recordable(fact, context.ids.event(stream, n), context));
        try {
          const appended = await log.append(stream, revision === -1 ? 'none' : revision, events);
          const { position } = appended;
          const next = events.reduce(
            (so, event) => decider.evolve(so, asFact({ ...event, position })),
            state,
          );
          kept.set(stream, { state: next, revision: appended.revision });
          return { state: next, appended };
        } catch (error) {
          if (!isLedgerError(error, 'wrong_revision')) throw error;
        }
      }
      return fail('write_conflict', 'Others kept changing the same thing; try again.', { retryAfter: 1 });
    },
  };
}

function recordable<T extends EventType>(fact: Fact<T>, id: string, context: CommandContext): NewEvent {
  return {
    id,
    type: fact.type,
    version: CURRENT_VERSION,
    data: fact.data,
    meta: {
      team_id: context.team,
      actor: context.actor,
      at: context.at,
      correlation_id: context.correlationId,
      causation_id: null,
    },
  };
}

/** The log gives back what the deciders wrote; `VALIDATE_EVENTS` checks each append against its schema. */
function asFact<T extends EventType>(event: NewEvent & Pick<RecordedEvent, 'position'>): Happened<T> {
  return event as typeof event & Fact<T>;
}
