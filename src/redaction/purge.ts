/**
 * Purges a run or a project: all that is in it goes, as if it had never been, but for the places of its events. Begins here, and
 * goes on in the background (`eraser.ts`).
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CommandContext, CommandHandler } from '../commands/command-handler.js';
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

/** The thing is there, and its owner has said twice that it is to go. From the answer on, it is nowhere to be seen. */
export async function purge(
  { commands, state, masks }: Purging,
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team, actor } = context;
  const mask = { id: maskIdOf(id), team, up_to: FOR_EVER, purged: id };
  // First of all: after a crash, the eraser does the rest.
  await askForErasure(state, { id, team, hides: id, mask, actor });
  await recordPurge(commands, context, id);
  await masks.add(mask);
  await masks.spread();
  const until = performance.now() + WAITS_MS;
  while (performance.now() < until) {
    const erasure = await readErasure(state, id);
    if (erasure === null || erasure.folded === true) return;
    await wait(LOOKS_EVERY_MS);
  }
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
