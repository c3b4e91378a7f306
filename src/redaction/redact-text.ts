/** Redacts a text wherever it is found in a team: begins here, and goes on in the background (`eraser.ts`). */
import type { CommandContext } from '../commands/command-context.js';
import type { Masks } from '../log/masks.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { Sealer } from '../secret-key/secret-keys.js';
import type { Sharing } from '../sharing/sharing.js';
import { askForErasure } from './erasures.js';
import {
  artifactsWith,
  contentsWith,
  eventsWith,
  type Place,
  type TextStores,
  type Wanted,
} from './find-text.js';
import { putRedaction, type TextRedaction } from './texts.js';

export type AskedText = { text: string; reason: string; project_id: string | null };

type Beginning = {
  state: Pick<State, 'put'>;
  log: Pick<EventLog, 'head'>;
  sealer: Sealer;
  masks: Masks;
  sharing: Pick<Sharing, 'endWith'>;
};

/** From the answer on nobody sees it. The text is sealed: it must not stand in another store once more. */
export async function beginTextRedaction(
  { state, log, sealer, masks, sharing }: Beginning,
  { team, actor, at, ids }: CommandContext,
  { text, reason, project_id }: AskedText,
): Promise<TextRedaction> {
  const id = ids.created('redaction');
  const up_to = await log.head(team);
  const begun: TextRedaction = {
    id,
    team,
    actor,
    reason,
    project_id,
    up_to,
    state: 'running',
    places: 0,
    done: 0,
    fields: [],
    masked: false,
    created_at: at,
    finished_at: null,
  };
  // First what is answered: an erasure without it would be given up.
  await putRedaction(state, begun);
  const mask = { id, team, up_to, sealed: sealer.seal(team, text), project: project_id };
  await askForErasure(state, { id, team, hides: '', mask });
  await masks.add({ ...mask, hides: 'answers' });
  // They name their branch to people outside of the team, by no route of it.
  await sharing.endWith(team, project_id, text);
  await masks.spread();
  return begun;
}

export type Places = { places: Place[]; total: number; complete: boolean };

const SHOWN = 1_000;
/** A client waits no longer for an answer. */
const SEARCH_MS = 20_000;

/** The places of a text. Changes nothing. */
export async function placesWith(stores: TextStores, wanted: Wanted): Promise<Places> {
  const found: Places = { places: [], total: 0, complete: true };
  const until = performance.now() + SEARCH_MS;
  for await (const places of everyPlace(stores, wanted)) {
    found.total += places.length;
    found.places.push(...places.slice(0, SHOWN - found.places.length));
    if (performance.now() < until) continue;
    found.complete = false;
    break;
  }
  return found;
}

async function* everyPlace(stores: TextStores, wanted: Wanted): AsyncGenerator<readonly Place[], void> {
  for await (const { places } of contentsWith(stores, wanted)) yield places;
  for await (const { artifact: id } of artifactsWith(stores, wanted))
    yield [{ type: 'artifact', id, field: 'content' }];
  yield* eventsWith(stores, wanted);
}
