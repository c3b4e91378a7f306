/**
 * Forgets again what was forgotten after a backup was made, in a log that was restored from it, while no server runs. From then
 * on nobody sees it; its bytes go when a server has started.
 */
import { instant, type Clock } from '../clock.js';
import { systemContext, type CommandContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { deleteResult } from '../commands/delete-result.js';
import { forgetContents } from '../commands/forget-contents.js';
import { streamName, START, type Position, type RecordedEvent } from '../domain/event.js';
import { itemId } from '../domain/ids.js';
import { result } from '../domain/results/result.js';
import { isChunk } from '../domain/runs/item-chunk.js';
import { run as runDecider } from '../domain/runs/run.js';
import { team as teamDecider } from '../domain/teams/team.js';
import { parseStreamName } from '../domain/event.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import { isAppError, type ErrorCode } from '../errors.js';
import { hasEvent } from '../log/has-event.js';
import { FOR_EVER, type Masks } from '../log/masks.js';
import type { Contents } from '../ports/contents.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import { askForErasure } from './erasures.js';
import type { Forgotten } from './forgotten.js';
import { maskIdOf } from './purge.js';
import { groupedBy } from '../domain/grouped-by.js';

export type RestoreParts = {
  commands: CommandHandler;
  log: EventLog;
  storedLog: EventLog;
  contents: Contents;
  state: State;
  masks: Masks;
  clock: Clock;
};

const KIND = 'restore';
const EVENTS = 1_000;
const RESULTS = 500;

/** Returns how many things were forgotten again: the log has forgotten the others itself. May be repeated after a crash. */
export async function restoreForgotten(parts: RestoreParts, all: readonly Forgotten[]): Promise<number> {
  const { state, storedLog } = parts;
  const head = await storedLog.head();
  const newer = new Map<string, Forgotten[]>();
  for (const [event, own] of groupedBy(all, (each) => each.event)) {
    const isThere = await hasEvent(storedLog, { id: event, position: own[0]!.position });
    if (!isThere && (await state.get(KIND, event)) === null) newer.set(event, own);
  }
  const left = [...newer.values()].flat();
  for (const [team, own] of groupedBy(left, (each) => each.team)) await restoreTeam(parts, team, own, head);
  // What comes into a run afterwards is not forgotten by a repeat.
  for (const event of newer.keys()) await state.put(KIND, event, true, { expected: 'any' });
  return left.length;
}

async function restoreTeam(
  parts: RestoreParts,
  team: string,
  all: readonly Forgotten[],
  head: Position,
): Promise<void> {
  const { state, masks } = parts;
  const context: CommandContext = {
    ...systemContext(team, instant(parts.clock), 'restore'),
    actor: 'operator',
  };
  const isAlone = ({ redaction }: Forgotten) => redaction === null;
  for (const { what, type, id, reason } of all.filter(isAlone)) {
    if (what === 'purged') {
      const mask = { id: maskIdOf(id), team, up_to: FOR_EVER, purged: id };
      await askForErasure(state, { id, team, hides: id, mask, actor: 'operator' });
      await masks.add(mask);
    } else if (type === 'result') await forgetResult(parts, context, { id, what, reason });
  }
  const runs = all.filter((each) => isAlone(each) && each.what === 'redacted' && each.type === 'run');
  if (runs.length > 0) await redactRuns(parts, context, runs, head);
  const ofTexts = all.filter((each) => !isAlone(each));
  for (const [redaction, places] of groupedBy(ofTexts, (each) => each.redaction!))
    await redactPlaces(parts, context, { redaction, places, head });
}

/** The backup may be older than the thing, or the thing be gone by what came before. */
async function unlessGone(work: () => Promise<unknown>, codes: readonly ErrorCode[] = []): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!['not_found' as const, ...codes].some((code) => isAppError(error, code))) throw error;
  }
}

async function forgetResult(
  { commands, log, contents, state }: RestoreParts,
  context: CommandContext,
  { id, what, reason }: Pick<Forgotten, 'id' | 'what' | 'reason'>,
): Promise<void> {
  const { team } = context;
  const forgetting = { contents, state };
  const mark = async (as: 'redacted' | 'deleted') => {
    const present = await commands.load(result, streamName('result', team, id));
    if (present.life !== 'present') return;
    await forgetContents(forgetting, [{ team, run: present.test_run_id, id }], as);
  };
  if (what === 'deleted') {
    await mark('deleted');
    const deleting = () => deleteResult(commands, { log, forgetting }, context, id);
    return unlessGone(deleting, ['project_inactive']);
  }
  await mark('redacted');
  const command = { type: 'RedactResult', reason: reason ?? 'restored' } as const;
  await unlessGone(() => commands.execute(result, streamName('result', team, id), context, command));
}

/** All that these runs have in the log, which is older than their redaction. */
async function redactRuns(
  parts: RestoreParts,
  context: CommandContext,
  all: readonly Forgotten[],
  head: Position,
): Promise<void> {
  const { commands, storedLog, contents, state, masks } = parts;
  const { team } = context;
  const runs = new Set(all.map(({ id }) => id));
  const holders = new Set(runs);
  for (let after = START; ;) {
    const batch = await storedLog.readAll({ after, limit: EVENTS, filter: { streams: teamStreams(team) } });
    const own = batch.events.filter(({ data }) => runs.has((data as { run_id?: string }).run_id ?? ''));
    const results = own.flatMap(resultsIn);
    for (let from = 0; from < results.length; from += RESULTS)
      await contents.mark(results.slice(from, from + RESULTS), 'redacted');
    for (const event of own) {
      if (isChunk(event)) holders.add(parseStreamName(event.stream).id);
      if (event.type === 'ArtifactCreated') await redactArtifact(parts, context, event.data as OfArtifact);
    }
    after = batch.position;
    if (batch.caughtUp) break;
  }
  for (const holder of holders) await contents.release(holder);
  for (const { id, reason } of all) {
    const command = { type: 'RedactRun', reason: reason ?? 'restored', fields: ['results'] } as const;
    await unlessGone(() => commands.execute(runDecider, streamName('run', team, id), context, command));
    const mask = { id: `${id}@${head}`, team, up_to: head, run: id };
    await askForErasure(state, { id: mask.id, team, hides: id, mask });
    await masks.add(mask);
  }
}

function resultsIn(event: RecordedEvent): string[] {
  if (event.type === 'ResultCreated') return [(event.data as { result_id: string }).result_id];
  if (!isChunk(event)) return [];
  const { first, count } = event.data;
  const submission = parseStreamName(event.stream).id;
  return Array.from({ length: count }, (_, n) => itemId(submission, first + n));
}

type OfArtifact = { result_id: string; artifact_id: string };

function redactArtifact(
  { commands }: RestoreParts,
  context: CommandContext,
  { result_id, artifact_id }: OfArtifact,
): Promise<void> {
  const command = { type: 'RedactArtifacts', artifacts: [artifact_id] } as const;
  return unlessGone(() =>
    commands.execute(result, streamName('result', context.team, result_id), context, command),
  );
}

type OfText = { redaction: string; places: readonly Forgotten[]; head: Position };

/** The text is not known any more, so its fields go as a whole. */
async function redactPlaces(
  parts: RestoreParts,
  context: CommandContext,
  { redaction, places, head }: OfText,
): Promise<void> {
  const { commands, storedLog, contents, state, masks } = parts;
  const { team } = context;
  const fields = new Map<string, string[]>();
  for (const { type, id, fields: names } of places) {
    fields.set(id, [...(fields.get(id) ?? []), ...names]);
    if (type === 'result') {
      const present = await commands.load(result, streamName('result', team, id));
      if (present.life !== 'present') continue;
      const isContent = names.some((name) => name === 'error_message' || name === 'metadata');
      if (isContent)
        await forgetContents({ contents, state }, [{ team, run: present.test_run_id, id }], 'redacted');
    } else if (type === 'artifact' && names.includes('content')) {
      const stream = streamName('artifact', team, id);
      const [assigned] = (await storedLog.readStream(stream, { limit: 1 })).events;
      if (assigned !== undefined) await redactArtifact(parts, context, assigned.data as OfArtifact);
    }
  }
  const mask = { id: redaction, team, up_to: head, fields: [...fields] };
  await askForErasure(state, { id: redaction, team, hides: '', mask });
  await masks.add(mask);
  const names = [...new Set([...fields.values()].flat())];
  const { reason } = places[0]!;
  const data = { redaction_id: redaction, project_id: null, places: places.length, fields: names };
  const command = { type: 'RecordRedaction', data: { ...data, reason: reason ?? 'restored' } } as const;
  await commands.execute(teamDecider, streamName('team', team, team), context, command);
}
