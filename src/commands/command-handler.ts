/**
 * The shell around the deciders: it reads a stream, folds it, decides and appends. The folded state of recent streams
 * is cached. Each use reads on from there, so a write sees all that any node has answered before.
 */
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { maySee } from '../domain/teams/access.js';
import { isTold, type StoredClient } from '../domain/audit/told-events.js';
import type { Decider, Happened } from '../domain/decider.js';
import { eventVersions } from '../domain/events.js';
import type { EventType, Fact } from '../domain/events.js';
import type { Instant, NewEvent, RecordedEvent, StreamName } from '../domain/event.js';
import { none, notFound, type None } from '../domain/life.js';
import { evolved } from '../domain/redaction/purged.js';
import { fail, isAppError } from '../errors.js';
import { coalesceByKey } from '../concurrency/coalesce.js';
import { forEachPage, readBulkOrigin, streamPages } from '../log/streams.js';
import { newIds, type CommandIds } from './ids.js';
import type { Appended, EventLog } from '../ports/event-log.js';
import { emptyWhenIdle } from '../memory/collect-when-idle.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

/** The sender of a command, and the ids and the instant that it uses. */
export type CommandContext = {
  team: string;
  /** The only projects that exist for the sender; null for all of the team. */
  project_ids: readonly string[] | null;
  /** Gets each project of which the command reads or writes something. */
  touched?: (project: string) => void;
  actor: string;
  at: Instant;
  correlationId: string;
  /** Where the sender acts from. Asked only for events that the audit tells. */
  client?: () => Promise<StoredClient | null>;
  ids: CommandIds;
  /** An earlier try of the same request may have written already. Its events are looked for first. */
  resumed: boolean;
  /**
   * Present for a request with an Idempotency-Key: whether another try has taken the request over from this one. Asked
   * after each read, because a try that was held up for seconds must not write again what the other try has written.
   */
  takenOver?: () => Promise<boolean>;
};

/** For commands of the program itself. No request asks for them, so each try uses new ids. */
export function systemContext(team: string, at: Instant, correlationId: string): CommandContext {
  return { team, project_ids: null, actor: 'system', at, correlationId, ids: newIds, resumed: false };
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
  /**
   * Each try of one request decides on something else, for example on a key of its own. If the log has the events of
   * another try, they count, and `appended` is null.
   */
  differsByTry?: boolean;
};

/** `command` may be a function of the state, for work that must come after the search for an earlier try. */
export type Request<S, C> = { context: CommandContext; command: C | ((state: S) => Promise<C>) };

export type CommandHandler = {
  /**
   * Returns the current state of a stream. With `mayBeBehind` it is the state that this process has in memory, if there is
   * one: other processes may have written since.
   */
  load<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    options?: { mayBeBehind?: boolean },
  ): Promise<S>;
  /**
   * Decides on a command and appends what happens.
   * @throws AppError of the decider; `event_limit`; then of `check`; `write_conflict` if other writers come first each
   *   time; `log_unavailable`.
   */
  execute<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
    command: Request<S, C>['command'],
    options?: ExecuteOptions<S>,
  ): Promise<Executed<S>>;
  /**
   * Decides on commands of several requests, each on the state that the ones before it leave, and appends what happens at
   * once. The requests are first tries, and none has an Idempotency-Key. One that is refused leaves the others as they
   * are. Null, with nothing written, where another writer came first, or where they are too much for one append.
   * @throws AppError `log_unavailable`: then any of them may have happened, or none
   */
  executeTogether<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    requests: readonly Request<S, C>[],
  ): Promise<PromiseSettledResult<Executed<S>>[] | null>;
  /** Returns the state that an earlier try of the same request left behind, or null if it wrote nothing that the sender sees. */
  answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
  ): Promise<S | null>;
};

const TRIES = 16;

type CachedState = { state: unknown; revision: number };

const CACHE_BYTES = 8 * 1024 * 1024;

/**
 * `keep`: the number of streams whose state is cached at most. Long because reads and commands share that cache: each
 * part is short.
 */
export function openCommandHandler(log: EventLog, { keep = 2_000 } = {}): CommandHandler {
  const cache = new LRUCache<StreamName, CachedState>({
    max: keep,
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ state }) => estimateBytes(state),
  });
  emptyWhenIdle(cache);

  const joinRead = coalesceByKey<CachedState>();
  let forgotten: number | undefined;

  /** The states may say what was redacted since. */
  async function dropForgotten(asked: ReturnType<NonNullable<EventLog['forgotten']>>): Promise<void> {
    const now = await asked;
    if (now !== forgotten) cache.clear();
    forgotten = now;
  }

  /** `asOf`: what was forgotten when the read began. */
  function keepState(stream: StreamName, known: CachedState, asOf: number | undefined): void {
    if (asOf === forgotten) cache.set(stream, known);
  }

  /**
   * Many requests write under the same run and project at once. One read serves all callers that wait when it begins.
   */
  async function read<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const asked = log.forgotten?.();
    if (asked !== undefined && asked !== forgotten) await dropForgotten(asked);
    const cached = cache.get(stream);
    const last = cached && log.lastRevision?.(stream);
    if (last !== undefined && last <= cached!.revision) return { ...cached!, state: cached!.state as S };
    const { state, revision } = await joinRead(stream, () => readOn(decider, stream));
    return { state: state as S, revision };
  }

  /** Reads the events after the cached state. */
  async function readOn<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const cached = cache.get(stream);
    const asOf = forgotten;
    const from = cached ?? (await initialState(decider, stream));
    let state = from.state as S;
    let revision = from.revision;
    await forEachPage(log, stream, revision + 1, (events) => {
      for (const event of events) state = evolved(decider, state, asFact(event));
      revision = events.at(-1)!.revision;
    });
    const isNew = revision > from.revision || (cached === undefined && state !== decider.initial);
    // Each entry is measured, which takes its time for a run of a thousand shards.
    if (isNew) keepState(stream, { state, revision }, asOf);
    return { state, revision };
  }

  /** The state before the first event of the stream. A result of a bulk submission begins in another stream. */
  async function initialState<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const origin = await readBulkOrigin(log, stream);
    const state = origin === null ? decider.initial : evolved(decider, decider.initial, asFact(origin));
    return { state, revision: -1 };
  }

  async function answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
  ): Promise<S | null> {
    const { ids } = context;
    let { state } = await initialState(decider, stream);
    let found = 0;
    for await (const events of streamPages(log, stream)) {
      for (const event of events) {
        if (event.id === ids.event(stream, found)) found += 1;
        else if (found > 0) return isSeenBy(context, state) ? state : null;
        state = evolved(decider, state, asFact(event));
      }
    }
    return found > 0 && isSeenBy(context, state) ? state : null;
  }

  /** The state after an append. If another try may have appended first under the same ids, the log says what counts. */
  async function afterAppend<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    before: S,
    { events, appended, ask, asOf }: Written,
  ): Promise<Executed<S>> {
    const { position, revision } = appended;
    // The new field stands first: behind the spread, it makes a copy that is slow to read (docs/decisions/033).
    const own: readonly (NewEvent & Pick<RecordedEvent, 'position'>)[] = events.map((event) => ({
      position,
      ...event,
    }));
    const from = revision - events.length + 1;
    const found = ask ? (await log.readStream(stream, { from, limit: events.length })).events : own;
    const isOwn = found.every(({ data }, n) => data === own[n]?.data || isSameJson(data, own[n]?.data));
    const state = found.reduce((now, event) => evolved(decider, now, asFact(event)), before);
    keepState(stream, { state, revision }, asOf);
    return { state, appended: isOwn ? appended : null };
  }

  return {
    async load<S, C, T extends EventType>(
      decider: Decider<S, C, T>,
      stream: StreamName,
      { mayBeBehind = false } = {},
    ) {
      const cached = mayBeBehind ? cache.get(stream) : undefined;
      return cached === undefined ? (await read(decider, stream)).state : (cached.state as S);
    },
    answered,
    async execute(decider, stream, context, command, options = {}) {
      const { newStream = false, check, differsByTry = false } = options;
      const { resumed, takenOver } = context;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const isEmpty = newStream && tries === 0 && !resumed;
        const { state, revision } = isEmpty
          ? { state: decider.initial, revision: -1 }
          : await read(decider, stream);
        const asOf = forgotten;
        // After the read, on each try: if another try writes later, the append below repeats it or is refused.
        if (!isEmpty && (resumed || (await takenOver?.()) === true)) {
          const before = await answered(decider, stream, context);
          if (before !== null) return { state: before, appended: null };
        }
        const facts = await decideFor(decider, { context, command }, { state, stored: revision + 1 });
        await check?.(state);
        if (facts.length === 0) return { state, appended: null };
        const client = facts.some(({ type }) => isTold(type)) ? await context.client?.() : null;
        const events = facts.map((fact, n) =>
          recordable(withClient(fact, client), context.ids.event(stream, n), context),
        );
        try {
          const appended = await log.append(stream, revision === -1 ? 'none' : revision, events);
          const ask = resumed || (differsByTry && takenOver !== undefined);
          return await afterAppend(decider, stream, state, { events, appended, ask, asOf });
        } catch (error) {
          if (!isAppError(error, 'wrong_revision')) throw error;
        }
      }
      return fail('write_conflict', 'Other requests keep changing this. Try again.', { retryAfter: 1 });
    },
    async executeTogether(decider, stream, requests) {
      const { state, revision } = await read(decider, stream);
      const asOf = forgotten;
      const decided = await decideInTurn(decider, stream, requests, { state, revision });
      const events = decided.flatMap((each) => each.events);
      const { limits } = log;
      if (events.length > limits.events || Buffer.byteLength(JSON.stringify(events)) > limits.bytes)
        return null;
      if (events.length === 0) return decided.map(({ error }) => outcomeOf({ state, appended: null }, error));
      let appended: Appended;
      try {
        appended = await log.append(stream, revision === -1 ? 'none' : revision, events);
      } catch (error) {
        if (isAppError(error, 'wrong_revision')) return null;
        throw error;
      }
      // Again, because only now have the events a position.
      const { position } = appended;
      let now = state;
      let last = revision;
      const outcomes = decided.map(({ events: own, error }) => {
        now = own.reduce((before, event) => decider.evolve(before, asFact({ position, ...event })), now);
        last += own.length;
        return outcomeOf(
          { state: now, appended: own.length > 0 ? { position, revision: last } : null },
          error,
        );
      });
      keepState(stream, { state: now, revision: appended.revision }, asOf);
      return outcomes;
    },
  };
}

type Written = { events: readonly NewEvent[]; appended: Appended; ask: boolean; asOf: number | undefined };

/** `error`: why the command was refused; null if it was not. */
type Decided = { events: NewEvent[]; error: unknown };

function outcomeOf<S>(value: Executed<S>, error: unknown): PromiseSettledResult<Executed<S>> {
  return error === null ? { status: 'fulfilled', value } : { status: 'rejected', reason: error };
}

/** Decides on one command after the other. */
async function decideInTurn<S, C, T extends EventType>(
  decider: Decider<S, C, T>,
  stream: StreamName,
  requests: readonly Request<S, C>[],
  { state, revision }: { state: S; revision: number },
): Promise<Decided[]> {
  const decided: Decided[] = [];
  let [now, stored] = [state, revision + 1];
  for (const { context, command } of requests) {
    try {
      const facts = await decideFor(decider, { context, command }, { state: now, stored });
      const events = facts.map((fact, n) => recordable(fact, context.ids.event(stream, n), context));
      now = events.reduce((before, event) => decider.evolve(before, event as NewEvent & Fact<T>), now);
      stored += events.length;
      decided.push({ events, error: null });
    } catch (error) {
      decided.push({ events: [], error });
    }
  }
  return decided;
}

/** What happens by a command. `stored`: the events of the stream before it. */
async function decideFor<S, C, T extends EventType>(
  decider: Decider<S, C, T>,
  { context, command }: Request<S, C>,
  { state, stored }: { state: S; stored: number },
): Promise<Fact<T>[]> {
  // For a sender that does not see the thing, the decider finds its own words for what does not exist.
  const seen = isSeenBy(context, state) ? state : decider.initial;
  const wanted = typeof command === 'function' ? await (command as Function)(seen) : command;
  const facts = decider.decide(wanted, seen);
  if (seen !== state || !facts.every(({ data }) => isSeenBy(context, data))) notFound('project');
  mustHaveRoom(decider, wanted, state, stored + facts.length);
  return facts;
}

/** The state of a thing, as the sender of a request sees it: a thing of a project beyond its own is not recorded. */
export function seenBy<S extends object>(context: CommandContext, state: S): S | None {
  return isSeenBy(context, state) ? state : none;
}

/** True for what belongs to no project: the deciders and routes of keys and webhooks look at the sender themselves. */
function isSeenBy(context: CommandContext, thing: unknown): boolean {
  const { project_id } = thing as { project_id?: unknown };
  if (typeof project_id !== 'string') return true;
  const seen = maySee(context, project_id);
  if (seen) context.touched?.(project_id);
  return seen;
}

/** Beside the data: no reader of the replay sees where somebody acted from. */
function withClient<T extends EventType>(fact: Fact<T>, client: StoredClient | null | undefined): Fact<T> {
  return client == null ? fact : { ...fact, facts: { ...fact.facts, client } };
}

function recordable<T extends EventType>(fact: Fact<T>, id: string, context: CommandContext): NewEvent {
  return {
    id,
    type: fact.type,
    version: eventVersions[fact.type],
    data: fact.data,
    meta: {
      team_id: context.team,
      actor: context.actor,
      at: context.at,
      correlation_id: context.correlationId,
      causation_id: null,
      ...(fact.facts && { facts: fact.facts }),
    },
  };
}

/** `events`: the events of the stream after the command. @throws AppError `event_limit` */
function mustHaveRoom<S, C, T extends EventType>(
  { most }: Decider<S, C, T>,
  command: C,
  state: S,
  events: number,
): void {
  if (most === undefined || events <= most.events || most.isExempt(command, state)) return;
  fail('event_limit', `A run, result, project, webhook or test can have at most ${most.events} events.`);
}

function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

/** The log returns what the deciders wrote. `VALIDATE_EVENTS` checks each append against its schema. */
function asFact<T extends EventType>(event: NewEvent & Pick<RecordedEvent, 'position'>): Happened<T> {
  return event as typeof event & Fact<T>;
}
