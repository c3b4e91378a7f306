/**
 * Runs the commands on one stream one after the other in this process: a hundred at once would refuse each other's
 * appends. Commands that wait for the same stream share one append, because each append waits for the disk.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openSerializeByKey } from '../concurrency/serialize-by-key.js';
import type { StreamName } from '../domain/event.js';
import { isAppError } from '../errors.js';
import type { Executed, ExecuteOptions, CommandHandler } from './command-handler.js';
import type { Request } from './decide.js';

/** The number of times that a command may lose all the tries that the command handler itself makes. */
const TRIES = 5;
const LONGEST_PAUSE_MS = 40;
/** Commands in one append. */
const MOST_TOGETHER = 16;

type Outcome = PromiseSettledResult<Executed<unknown>>;

/** `outcome`: once another command's turn has executed this one too. */
type Waiting = Request<unknown, unknown> & { outcome: Outcome | null };

/**
 * Returns a command handler whose commands on one stream wait for each other. Writers of other processes are still found by the
 * revision of the stream; a command that keeps losing against them pauses for a moment. While a command on one stream
 * waits for a command on a second stream, no command on the second one may wait for the first: both would wait forever.
 */
export function serializeByStream(commands: CommandHandler): CommandHandler {
  const serialize = openSerializeByKey();
  /** The commands that may share an append, in the order of their turns. */
  const lines = new Map<StreamName, Waiting[]>();

  /** Adds a command to the line of its stream, and returns it with the line. */
  function stand(stream: StreamName, request: Request<unknown, unknown>) {
    const own: Waiting = { ...request, outcome: null };
    const line = lines.get(stream) ?? [];
    lines.set(stream, line);
    line.push(own);
    return { own, line };
  }

  return {
    ...commands,
    async execute(decider, stream, context, command, options = {}) {
      const alone = () => retryConflicts(() => commands.execute(decider, stream, context, command, options));
      if (!mayShare({ context, command }, options)) return serialize(stream, alone);
      const { own, line } = stand(stream, { context, command });
      return serialize(stream, async () => {
        // If the append with others could not be made, the command has left the line, and is executed alone.
        if (line[0] === own) {
          const together = line.splice(0, MOST_TOGETHER);
          if (line.length === 0 && lines.get(stream) === line) lines.delete(stream);
          if (together.length > 1)
            await share(together, () => commands.executeTogether(decider, stream, together as []));
        }
        if (own.outcome === null) return alone();
        if (own.outcome.status === 'rejected') throw own.outcome.reason;
        return own.outcome.value as Executed<never>;
      });
    },
  };
}

/** Gives each command its outcome; none where it has to be executed alone. */
async function share(together: readonly Waiting[], execute: () => Promise<Outcome[] | null>): Promise<void> {
  const outcomes = await execute().catch((reason: unknown) =>
    // It may have happened: executed again, a call without a shard would count twice.
    together.map((): Outcome => ({ status: 'rejected', reason })),
  );
  together.forEach((each, n) => (each.outcome = outcomes?.[n] ?? null));
}

/** A command that looks for an earlier try of its request, or at another stream, has an append of its own. */
function mayShare<S, C>({ context }: Request<S, C>, options: ExecuteOptions<S>): boolean {
  return !context.resumed && context.takenOver === undefined && Object.keys(options).length === 0;
}

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // Only the command handler gives a time for the next try. A decider that refuses with this code will refuse again.
      const contended = isAppError(error, 'write_conflict') && error.retryAfter !== undefined;
      if (!contended || tries === TRIES) throw error;
      await pause(randomInt(LONGEST_PAUSE_MS));
    }
  }
}
