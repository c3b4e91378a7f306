/** What happens by a command, as it is recorded: the decider decides for the sender, within the limit of the stream. */
import type { StoredClient } from '../domain/audit/told-events.js';
import type { Decider } from '../domain/decider.js';
import { eventVersions } from '../domain/events.js';
import type { EventType, Fact } from '../domain/events.js';
import type { NewEvent, StreamName } from '../domain/event.js';
import { notFound } from '../domain/life.js';
import { fail } from '../errors.js';
import { isSeenBy, type CommandContext } from './command-context.js';

/** `command` may be a function of the state, for work that must come after the search for an earlier try. */
export type Request<S, C> = { context: CommandContext; command: C | ((state: S) => Promise<C>) };

/** `error`: why the command was refused; null if it was not. */
type Decided = { events: NewEvent[]; error: unknown };

/** Decides on one command after the other. */
export async function decideInTurn<S, C, T extends EventType>(
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
export async function decideFor<S, C, T extends EventType>(
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

/** Beside the data: no reader of the replay sees where somebody acted from. */
export function withClient<T extends EventType>(
  fact: Fact<T>,
  client: StoredClient | null | undefined,
): Fact<T> {
  return client == null ? fact : { ...fact, facts: { ...fact.facts, client } };
}

export function recordable<T extends EventType>(
  fact: Fact<T>,
  id: string,
  context: CommandContext,
): NewEvent {
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
