/** Forgets a text in contents and artifacts, and counts where it is in events. */
import { toUUID, type TypeId } from 'typeid-js';
import { streamName } from '../domain/event.js';
import { result } from '../domain/results/result.js';
import { team as teamDecider } from '../domain/teams/team.js';
import { instant, type Clock } from '../clock.js';
import { systemContext, type CommandContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { idsFrom } from '../commands/ids.js';
import { forgetContents } from '../commands/forget-contents.js';
import type { Blobs } from '../ports/blobs.js';
import type { Contents } from '../ports/contents.js';
import type { State } from '../ports/state.js';
import { artifactsWith, contentsWith, eventsWith, type Place, type TextStores } from './find-text.js';
import { notePlaces } from './noted-places.js';
import { putRedaction, readRedaction, type TextRedaction } from './texts.js';

export type TextParts = Omit<TextStores, 'contents' | 'blobs'> & {
  blobs: Pick<Blobs, 'read' | 'clear'>;
  commands: CommandHandler;
  contents: Pick<Contents, 'held' | 'read' | 'mark' | 'release'>;
  state: Pick<State, 'get' | 'put'>;
  clock: Clock;
};

/** Returns the redaction with all that was found. After a crash, what is done is found no more, and counts already. */
export async function forgetText(
  parts: TextParts,
  before: TextRedaction,
  text: string,
): Promise<TextRedaction> {
  const { team, project_id: project, up_to } = before;
  const { state, contents, commands } = parts;
  const wanted = { team, project, text, up_to };
  let now = before;
  const noted = async (places: readonly Pick<Place, 'field'>[], change: Partial<TextRedaction>) => {
    const fields = [...new Set([...now.fields, ...places.map(({ field }) => field)])];
    now = { ...now, ...change, fields, places: now.places + places.length };
    await putRedaction(state, now);
  };
  for await (const { holder, hashes, run, places } of contentsWith(parts, wanted)) {
    const forgotten = places.map(({ id }) => ({ team, run, id }));
    await notePlaces(state, before.id, places);
    await forgetContents({ contents, state }, forgotten, 'redacted');
    await contents.release(holder, hashes);
    await noted(places, { done: now.done + places.length });
  }
  for await (const { artifact, result: id } of artifactsWith(parts, wanted)) {
    await notePlaces(state, before.id, [{ type: 'artifact', id: artifact, field: 'content' }]);
    const command = { type: 'RedactArtifacts', artifacts: [artifact] } as const;
    await commands.execute(result, streamName('result', team, id), contextOf(parts, before), command);
    // Before the mask goes: until then, nobody gets the file by a URL that was signed before.
    await parts.blobs.clear({ team, artifact }, null);
    await noted([{ field: 'artifacts' }], { done: now.done + 1 });
  }
  const inEvents: Place[] = [];
  let count = 0;
  for await (const places of eventsWith(parts, wanted)) {
    count += places.length;
    await notePlaces(state, before.id, places);
    // Of these, only the names of the fields are kept.
    for (const place of places)
      if (!inEvents.some(({ field }) => field === place.field)) inEvents.push(place);
  }
  if (count === 0) return now;
  await noted(inEvents, { masked: true });
  now = { ...now, places: now.places + count - inEvents.length };
  await putRedaction(state, now);
  return now;
}

/** Everything is done: the team's history says so. The place where an event of the audit belongs. */
export async function recordText(parts: TextParts, id: string): Promise<void> {
  const done = await readRedaction(parts.state, id);
  if (done === null || done.state === 'done') return;
  const { team, reason, project_id, places, fields } = done;
  const data = { redaction_id: id, project_id, reason, places, fields: [...fields] };
  const command = { type: 'RecordRedaction', data } as const;
  // After a crash, the same event.
  const context = { ...contextOf(parts, done), ids: idsFrom(toUUID(id as TypeId<string>)), resumed: true };
  await parts.commands.execute(teamDecider, streamName('team', team, team), context, command);
  const finished_at = instant(parts.clock);
  await putRedaction(parts.state, { ...done, state: 'done', done: places, finished_at });
}

/** In the name of whoever asked. */
function contextOf({ clock }: TextParts, { id, team, actor }: TextRedaction): CommandContext {
  return { ...systemContext(team, instant(clock), id), actor };
}
