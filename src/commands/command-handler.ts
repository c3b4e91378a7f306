/** The shell around the deciders: it reads a stream, folds it (`folded-streams.ts`), decides (`decide.ts`) and appends. */
import { isDeepStrictEqual } from 'node:util';
import { isTold } from '../domain/audit/told-events.js';
import type { Decider } from '../domain/decider.js';
import type { EventType } from '../domain/events.js';
import type { NewEvent, RecordedEvent, StreamName } from '../domain/event.js';
import { evolved } from '../domain/redaction/purged.js';
import { fail, isAppError } from '../errors.js';
import { streamPages } from '../log/streams.js';
import { isSeenBy, type CommandContext } from './command-context.js';
import { decideFor, decideInTurn, recordable, withClient, type Request } from './decide.js';
import { asFact, openFoldedStreams } from './folded-streams.js';
import type { Appended, EventLog } from '../ports/event-log.js';

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

/** `keep`: the number of streams whose state is cached at most. */
export function openCommandHandler(log: EventLog, { keep = 2_000 } = {}): CommandHandler {
  const streams = openFoldedStreams(log, keep);

  async function answered<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    context: CommandContext,
  ): Promise<S | null> {
    const { ids } = context;
    let { state } = await streams.initialState(decider, stream);
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
    streams.keepState(stream, { state, revision }, asOf);
    return { state, appended: isOwn ? appended : null };
  }

  return {
    load: streams.load,
    answered,
    async execute(decider, stream, context, command, options = {}) {
      const { newStream = false, check, differsByTry = false } = options;
      const { resumed, takenOver } = context;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const isEmpty = newStream && tries === 0 && !resumed;
        const { state, revision } = isEmpty
          ? { state: decider.initial, revision: -1 }
          : await streams.read(decider, stream);
        const asOf = streams.forgotten();
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
      const { state, revision } = await streams.read(decider, stream);
      const asOf = streams.forgotten();
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
      streams.keepState(stream, { state: now, revision: appended.revision }, asOf);
      return outcomes;
    },
  };
}

type Written = { events: readonly NewEvent[]; appended: Appended; ask: boolean; asOf: number | undefined };

function outcomeOf<S>(value: Executed<S>, error: unknown): PromiseSettledResult<Executed<S>> {
  return error === null ? { status: 'fulfilled', value } : { status: 'rejected', reason: error };
}

function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}
