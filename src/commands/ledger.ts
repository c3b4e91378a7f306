/**
 * The shell around the deciders: it reads a stream, folds it, decides and appends. The folded state of recent streams
 * is cached. Each use reads on from there, so a write sees all that any node has answered before.
 */
import { LRUCache } from 'lru-cache';
import type { Decider, Happened } from '../domain/decider.js';
import { currentVersion } from '../domain/event-versions.js';
import type { EventType, Fact } from '../domain/events.js';
import type { Instant, NewEvent, RecordedEvent, StreamName } from '../domain/event.js';
import { fail, isLedgerError } from '../errors.js';
import { coalesce } from '../concurrency/coalesce.js';
import { readBulkOrigin } from '../log/streams.js';
import { newIds, type CommandIds } from './ids.js';
import type { Appended, EventLog } from '../ports/event-log.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

/** The sender of a command, and the ids and the instant that it uses. */
export type CommandContext = {
  team: string;
  actor: string;
  at: Instant;
  correlationId: string;
  ids: CommandIds;
  /** An earlier try of the same request may have written already. Its events are looked for first. */
  resumed: boolean;
};

/** For commands of the program itself. No request asks for them, so each try uses new ids. */
export function systemContext(team: string, at: Instant, correlationId: string): CommandContext {
  return { team, actor: 'system', at, correlationId, ids: newIds, resumed: false };
}

export type Executed<State> = { state: State; appended: Appended | null };

export type ExecuteOptions<State> = {
  /**
   * The stream is named by an id that was made for this command, so it is taken to be empty. If not, the append fails.
   */
  newStream?: boolean;
  /**
   * Runs after the decider has accepted the command, and before the append. It may refuse because of
   * another stream. It takes the state before the command. It runs again if the stream has changed meanwhile.
   */
  check?: (state: State) => Promise<void>;
};

export type Ledger = {
  /** Returns the current state of a stream. */
  load<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName): Promise<S>;
  /**
   * Decides on a command and appends what happens. `command` may be a function of the state, for work that must come
   * after the search for an earlier try.
   * @throws LedgerError of the decider, then of `check`; `write_conflict` if other writers come first each time;
   *   `log_unavailable`.
   */
  execute<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
    command: C | ((state: S) => Promise<C>),
    options?: ExecuteOptions<S>,
  ): Promise<Executed<S>>;
  /** Returns the state that an earlier try of the same request left behind, or null if it wrote nothing. */
  answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
  ): Promise<S | null>;
};

const TRIES = 16;
const PAGE = 1_000;

type CachedState = { state: unknown; revision: number };

const CACHE_BYTES = 24 * 1024 * 1024;

/**
 * `keep`: the number of streams whose state is cached at most. Long because reads and commands share that cache: each
 * part is short.
 */
export function openLedger(log: EventLog, { keep = 10_000 } = {}): Ledger {
  const cache = new LRUCache<StreamName, CachedState>({
    max: keep,
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ state }) => estimateBytes(state),
  });

  const reads = new Map<StreamName, { join: () => Promise<CachedState>; waiting: number }>();

  /**
   * Many requests write under the same run and project at once. One read serves all callers that wait when it begins.
   */
  async function read<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const shared = reads.get(stream) ?? { join: coalesce(() => readOn(decider, stream)), waiting: 0 };
    reads.set(stream, shared);
    shared.waiting += 1;
    try {
      const { state, revision } = await shared.join();
      return { state: state as S, revision };
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) reads.delete(stream);
    }
  }

  /** Reads the events after the cached state. */
  async function readOn<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const from = cache.get(stream) ?? (await initialState(decider, stream));
    let state = from.state as S;
    let revision = from.revision;
    for (;;) {
      const events = await log.readStream(stream, { from: revision + 1, limit: PAGE });
      for (const event of events) state = decider.evolve(state, asFact(event));
      // Not the number of events: a log may have skipped events that another program put into the stream.
      revision = events.at(-1)?.revision ?? revision;
      if (events.length < PAGE) break;
    }
    if (revision > from.revision || from.state !== decider.initial) cache.set(stream, { state, revision });
    return { state, revision };
  }

  /** The state before the first event of the stream. A result of a bulk submission begins in another stream. */
  async function initialState<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const origin = await readBulkOrigin(log, stream);
    const state = origin === null ? decider.initial : decider.evolve(decider.initial, asFact(origin));
    return { state, revision: -1 };
  }

  async function answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    { ids }: CommandContext,
  ): Promise<S | null> {
    let { state } = await initialState(decider, stream);
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
    async execute(decider, stream, context, command, { newStream = false, check } = {}) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const isEmpty = newStream && tries === 0 && !context.resumed;
        const { state, revision } = isEmpty
          ? { state: decider.initial, revision: -1 }
          : await read(decider, stream);
        if (context.resumed) {
          // After the read, on each try: if the earlier try writes later, the append below repeats it or is refused.
          const before = await answered(decider, stream, context);
          if (before !== null) return { state: before, appended: null };
        }
        const wanted = typeof command === 'function' ? await (command as Function)(state) : command;
        const facts = decider.decide(wanted, state);
        await check?.(state);
        if (facts.length === 0) return { state, appended: null };
        const events = facts.map((fact, n) => recordable(fact, context.ids.event(stream, n), context));
        try {
          const appended = await log.append(stream, revision === -1 ? 'none' : revision, events);
          const { position } = appended;
          const next = events.reduce(
            (before, event) => decider.evolve(before, asFact({ ...event, position })),
            state,
          );
          cache.set(stream, { state: next, revision: appended.revision });
          return { state: next, appended };
        } catch (error) {
          if (!isLedgerError(error, 'wrong_revision')) throw error;
        }
      }
      return fail('write_conflict', 'Other requests keep changing this. Try again.', { retryAfter: 1 });
    },
  };
}

function recordable<T extends EventType>(fact: Fact<T>, id: string, context: CommandContext): NewEvent {
  return {
    id,
    type: fact.type,
    version: currentVersion(fact.type),
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

/** The log returns what the deciders wrote. `VALIDATE_EVENTS` checks each append against its schema. */
function asFact<T extends EventType>(event: NewEvent & Pick<RecordedEvent, 'position'>): Happened<T> {
  return event as typeof event & Fact<T>;
}
