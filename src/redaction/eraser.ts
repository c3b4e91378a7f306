/**
 * The eraser removes the bytes of what nobody sees any more, and finds and redacts texts. One process leads. Each erasure is done
 * again from its beginning after a crash: every step may be repeated.
 */
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { sleep } from '../concurrency/sleep.js';
import { START, type Position } from '../domain/event.js';
import type { Rule } from '../domain/redaction/mask-event.js';
import type { Holder } from '../leases/lease.js';
import { startLeading } from '../leases/start-leading.js';
import { CHUNKS_KEPT_MS } from '../log/chunked-log.js';
import { ruleOf, type Masks } from '../log/masks.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import { readRebuild, requestRebuild } from '../projecting/rebuild.js';
import type { Sealer } from '../secret-key/secret-keys.js';
import type { Sharing } from '../sharing/sharing.js';
import { systemContext } from '../commands/command-context.js';
import { dueErasures, noteFolded, removeErasure, unmaskLater, type DueErasure } from './erasures.js';
import { forgetText, recordText, type TextParts } from './forget-text.js';
import { releasePurged, type PurgedStores } from './purge-bytes.js';
import { recordPurge } from './purge.js';
import { asInJson, forgetAnswers } from './stored-answers.js';
import { readRedaction } from './texts.js';

export type EraserOptions = Omit<TextParts, 'storedLog' | 'contents' | 'blobs'> & {
  contents: TextParts['contents'] & PurgedStores['contents'];
  blobs: TextParts['blobs'] & PurgedStores['blobs'];
  sharing: Pick<Sharing, 'endOf' | 'endWith'>;
  storedLog: Pick<EventLog, 'readAll' | 'erase' | 'head'>;
  state: State;
  masks: Masks;
  sealer: Sealer;
  /** Whether the read models show all that a team wrote up to a position. Waits for it for a while. */
  haveFolded: (team: string, position: Position) => Promise<boolean>;
  /** False where somebody is in the way. */
  emptyWriteAheadLogs: () => Promise<boolean>;
  holder: Holder;
  clock: Clock;
  /** Receives every fault. The erasure that met it is tried again. */
  report: (error: unknown) => void;
};

const EVERY_MS = 1_000;
/** Longer than a reader takes from an event to the base of its stored form. */
const BETWEEN_PASSES_MS = 1_000;
const LOOK_EVERY_MS = 200;
const EMPTY_TRIES = 100;

/** Works while this process leads. Returns the function that stops it. */
export function startEraser(options: EraserOptions): () => Promise<void> {
  const { state, holder, clock, report } = options;
  return startLeading({ name: 'eraser', state, holder, clock, report }, async (ended) => {
    while (!ended.aborted) {
      const due = await foldPurged(options, await dueErasures(state, instant(clock)), ended);
      for (const each of due) await erase(options, each, ended);
      await sleep(EVERY_MS, ended);
    }
  });
}

/** Does all of an erasure, or stops where it has to end. */
async function erase(options: EraserOptions, due: DueErasure, ended: AbortSignal): Promise<void> {
  const { state, masks } = options;
  if (due.unmask_at !== undefined) {
    await masks.remove(due.mask!.id);
    return removeErasure(state, due);
  }
  const asked = due.mask && ruleOf(due.mask, options.sealer);
  const isText = asked !== null && 'text' in asked;
  if (asked !== null && 'purged' in asked) {
    const { team, id } = due;
    await options.sharing.endOf(team, id);
    const first = await releasePurged(options, { team, purged: asked.purged }, ended);
    if (first !== null) await eraseEvents(options, { team, rule: asked, first }, ended);
    await forgetAnswers(state, id);
    await emptied(options, ended);
    if (!ended.aborted) await unmaskLaterOrNever(options, due);
    return;
  }
  // What they have not folded yet would not be found, and transitions of tests may still come with names of before.
  while (isText && !ended.aborted && !(await options.haveFolded(due.team, asked.up_to)));
  if (ended.aborted) return;
  const rule = isText ? await redactText(options, due, asked) : asked;
  if (rule !== null) await eraseEvents(options, { team: due.team, rule }, ended);
  if (isText && rule !== null) {
    await Promise.all([records, history].map((projection) => rebuilt(options, projection, ended)));
  }
  // Where the request was cut off.
  if (isText) await options.sharing.endWith(due.team, asked.project, asked.text);
  await forgetAnswers(state, isText ? asInJson(asked.text) : due.hides);
  if (ended.aborted) return;
  await emptied(options, ended);
  if (isText) {
    // The read models and the other stores are without it, and from here on new text is new.
    if (rule === null) await masks.remove(due.mask!.id);
    else await masks.add({ ...due.mask!, up_to: rule.up_to });
    await masks.spread();
    await recordText(options, due.id);
  }
  if (rule === null) return removeErasure(state, due);
  await unmaskLaterOrNever(options, due);
}

/** A log on a server still says it, and is masked for good. */
async function unmaskLaterOrNever(
  { state, storedLog, clock }: Pick<EraserOptions, 'state' | 'storedLog' | 'clock'>,
  due: DueErasure,
): Promise<void> {
  if (storedLog.erase === undefined) return removeErasure(state, due);
  await unmaskLater(state, due, addMilliseconds(instant(clock), 2 * CHUNKS_KEPT_MS));
}

/**
 * Builds the read models anew without what is purged, once for all that is due: a run is in counts, rates and comparisons of
 * others. Returns the erasures as they are then.
 */
async function foldPurged(
  options: EraserOptions,
  due: DueErasure[],
  ended: AbortSignal,
): Promise<DueErasure[]> {
  const { state, masks, commands, clock } = options;
  const isNew = ({ mask, folded }: DueErasure) => mask !== null && 'purged' in mask && folded !== true;
  const purges = due.filter(isNew);
  if (purges.length === 0) return due;
  for (const { id, team, mask, actor = 'system' } of purges) {
    // Where the request was cut off.
    await recordPurge(commands, { ...systemContext(team, instant(clock), id), actor }, id);
    await masks.add(mask!);
  }
  await masks.spread();
  await Promise.all([records, history].map((projection) => rebuilt(options, projection, ended)));
  if (ended.aborted) return [];
  const noted: DueErasure[] = [];
  for (const each of due) noted.push(isNew(each) ? await noteFolded(state, each) : each);
  return noted;
}

/** Returns what is masked in events; null where the text is in none. */
async function redactText(
  options: EraserOptions,
  due: DueErasure,
  { text, project }: Extract<Rule, { text: string }>,
): Promise<Rule | null> {
  const { state, storedLog, masks } = options;
  const before = await readRedaction(state, due.id);
  if (before === null) return null;
  // Transitions of tests have come since with names of before.
  const found = before.masked
    ? before
    : await forgetText(options, { ...before, up_to: await storedLog.head(due.team) }, text);
  if (!found.masked) return null;
  const { up_to } = found;
  const mask = { ...due.mask!, up_to };
  await masks.add('sealed' in mask ? { ...mask, hides: 'answers and events' } : mask);
  await masks.spread();
  return { up_to, text, project };
}

/** `first`: no event before it says anything. Twice: an event of which others are stored as what differs from it goes last, when no other is any more. */
async function eraseEvents(
  { storedLog }: EraserOptions,
  { team, rule, first = START }: { team: string; rule: Rule; first?: Position },
  ended: AbortSignal,
): Promise<void> {
  if (storedLog.erase === undefined) return;
  for (const bases of [false, true]) {
    if (bases) await sleep(BETWEEN_PASSES_MS, ended);
    for (let before: number | null = null; !ended.aborted;) {
      const { next } = await storedLog.erase({ team, rule, before, bases });
      if (next === null || next < Number(first)) break;
      before = next;
    }
  }
}

/** Names are in many documents of the read models. @throws Error where the rebuild failed */
async function rebuilt(
  { state, clock }: EraserOptions,
  projection: typeof records | typeof history,
  ended: AbortSignal,
): Promise<void> {
  await requestRebuild(state, projection, instant(clock));
  while (!ended.aborted) {
    const request = await readRebuild(state, projection.name);
    if (request?.status === 'done') return;
    if (request?.status === 'failed')
      throw new Error(`the rebuild of ${projection.name} failed: ${request.error}`);
    await sleep(LOOK_EVERY_MS, ended);
  }
}

/** @throws Error where readers are in the way all the time */
async function emptied({ emptyWriteAheadLogs }: EraserOptions, ended: AbortSignal): Promise<void> {
  for (let tries = 0; tries < EMPTY_TRIES && !ended.aborted; tries += 1) {
    if (await emptyWriteAheadLogs()) return;
    await sleep(LOOK_EVERY_MS, ended);
  }
  if (!ended.aborted) throw new Error('the write-ahead logs are read all the time, and cannot be emptied');
}
