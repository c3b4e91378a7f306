/**
 * Purges runs or projects: all that is in them goes, as if it had never been, but for the places of their events. Begins here, and
 * goes on in the background (`eraser.ts`).
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CommandContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { isId } from '../domain/ids.js';
import { project } from '../domain/project.js';
import { run } from '../domain/runs/run.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { isAppError } from '../errors.js';
import { FOR_EVER, type Masks } from '../log/masks.js';
import type { State } from '../ports/state.js';
import { askForErasure, readErasure } from './erasures.js';

type Purging = { commands: CommandHandler; state: Pick<State, 'get' | 'put'>; masks: Masks };

/** Until the counts of the read models are without it, a request waits so long. */
const WAITS_MS = 15_000;
const LOOKS_EVERY_MS = 50;

/** They are there, and their owner has said twice that they are to go. From the answer on, they are nowhere to be seen. */
export async function purge(
  { commands, state, masks }: Purging,
  context: CommandContext,
  all: readonly string[],
): Promise<void> {
  const { team, actor } = context;
  for (const id of all) {
    const mask = { id: maskIdOf(id), team, up_to: FOR_EVER, purged: id };
    // First of all: after a crash, the eraser does the rest.
    await askForErasure(state, { id, team, hides: id, mask, actor });
    await recordPurge(commands, context, id);
    await masks.add(mask);
  }
  if (all.length > 0) await masks.spread();
  const until = performance.now() + WAITS_MS;
  for (const id of all)
    while (performance.now() < until && !(await isFolded(state, id))) await wait(LOOKS_EVERY_MS);
}

async function isFolded(state: Pick<State, 'get'>, id: string): Promise<boolean> {
  const erasure = await readErasure(state, id);
  return erasure === null || erasure.folded === true;
}

export function maskIdOf(id: string): string {
  return `purge ${id}`;
}

/** The event that says who did it. Nothing, where there is one. */
export async function recordPurge(
  commands: CommandHandler,
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team } = context;
  try {
    if (isId('run', id))
      await commands.execute(run, streamNameOf('run', team, id), context, { type: 'PurgeRun' });
    else
      await commands.execute(project, streamNameOf('project', team, id), context, { type: 'PurgeProject' });
  } catch (error) {
    // The request and the eraser may both come here.
    if (!isAppError(error, 'not_found')) throw error;
  }
}
