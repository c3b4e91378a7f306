/** Confirms artifacts: their bytes are kept in the blob store first. */
import { artifactParent } from '../domain/artifact/artifact-parent.js';
import { artifactOf, findArtifact, withEnds, type Artifact } from '../domain/artifact/artifact.js';
import { streamName } from '../domain/event.js';
import { latest } from '../domain/instant.js';
import { mustBePresent, notFound } from '../domain/life.js';
import { result, type PresentResult, type Result } from '../domain/results/result.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { fail } from '../errors.js';
import { instant, type Clock } from '../clock.js';
import { openSemaphore } from '../concurrency/semaphore.js';
import { newIds } from './ids.js';
import { seenBy, type CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import { checkProjectTakesWrites, keptWith } from './projects.js';
import { isRefusal, only, settledInGroups, type Settled } from './settled-in-groups.js';
import type { Blobs } from '../ports/blobs.js';

export type ArtifactStores = { commands: CommandHandler; blobs: Blobs; clock: Clock };

/** An artifact with the ids of its result and project. */
export type ArtifactView = Artifact & { test_result_id: string; project_id: string };

/** Files that one request stores at the same time: it waits for the storage, and others need the disk too. */
const STORED_AT_ONCE = 16;

/**
 * Makes artifacts visible, with the bytes that were uploaded last. The outcomes are in the order of the ids. A repeat
 * changes nothing.
 * @throws AppError `blobs_unavailable`, `log_unavailable`. An artifact is refused by `not_found`, `project_inactive`,
 *   `upload_missing`, `size_mismatch`.
 */
export async function confirmArtifacts(
  stores: ArtifactStores,
  context: CommandContext,
  artifact_ids: readonly string[],
): Promise<Settled<ArtifactView>[]> {
  const { commands } = stores;
  const store = openStoring(stores.blobs);
  return settledInGroups(
    artifact_ids.map((artifact_id) => ({ artifact_id })),
    ({ artifact_id }) => resultOf(commands, context, artifact_id),
    (group, result_id) => confirmOfResult(stores, context, result_id, group, store),
  );
}

/** As `confirmArtifacts`, for one. @throws AppError of its refusal too */
export async function confirmArtifact(
  stores: ArtifactStores,
  context: CommandContext,
  artifact_id: string,
): Promise<ArtifactView> {
  return only(await confirmArtifacts(stores, context, [artifact_id]));
}

/** An artifact whose bytes were uploaded, or came with the request. */
export type ToConfirm = { artifact_id: string; content?: Uint8Array | undefined };

/** Confirms artifacts of one result, by one append. Those that are refused leave the others as they are. */
export async function confirmOfResult(
  { commands, clock }: ArtifactStores,
  context: CommandContext,
  result_id: string,
  wanted: readonly ToConfirm[],
  store: Storing,
): Promise<Settled<ArtifactView>[]> {
  const { team, at } = context;
  const stream = streamName('result', team, result_id);
  const answered = context.resumed ? await commands.answered(result, stream, context) : null;
  const present = async () => {
    const state = await commands.load(result, stream);
    return withEnds(mustBePresent(state, 'artifact'), await keptWith(commands, team, state));
  };
  // The instant of a request is that of its first try. After the end of the upload time, another artifact may have
  // taken the place of this one, and the janitor deletes its bytes.
  const now = () => latest(instant(clock), at);

  /** Returns the version of the bytes; null where the artifact is confirmed already. */
  const kept = await Promise.allSettled(
    wanted.map(async ({ artifact_id, content }): Promise<string | null> => {
      if (isConfirmed(answered, artifact_id)) return null;
      const parent = await present();
      const { stored_as } = artifactOf(parent, artifact_id, now());
      await checkProjectTakesWrites(commands, context, parent.project_id);
      if (stored_as !== null) return null;
      // Once more, directly before the bytes are kept: `settledAfterMs` relies on it.
      return store(team, () => artifactOf(parent, artifact_id, now()), content);
    }),
  );
  const stored = wanted.flatMap(({ artifact_id }, n) => {
    const version = kept[n]!;
    const stored_as = version.status === 'fulfilled' ? version.value : null;
    return stored_as === null ? [] : [{ artifact_id, stored_as }];
  });
  // If the decider refuses, or another try has kept a version too, the janitor deletes this version.
  const command = async (state: Result) => {
    const life = await keptWith(commands, team, state);
    // A new look at the clock: it takes a while to keep a large file.
    return { type: 'ConfirmArtifacts', at: now(), kept: life, stored } as const;
  };
  // The events of an earlier try confirmed the others. These have events of their own.
  const own = answered === null ? context : { ...context, ids: newIds, resumed: false };
  const confirmed: Promise<Result> =
    stored.length === 0
      ? commands.load(result, stream)
      : commands.execute(result, stream, own, command, { differsByTry: true }).then(({ state }) => state);
  return Promise.allSettled(
    wanted.map(async ({ artifact_id }, n) => {
      const before = isConfirmed(answered, artifact_id) ? answered : null;
      const state = before ?? (await confirmed);
      const version = kept[n]!;
      if (version.status === 'rejected') throw version.reason;
      // Where it expired meanwhile, it is not confirmed.
      if (!isConfirmed(state, artifact_id)) notFound('artifact');
      return viewOf(before ?? withEnds(state, await keptWith(commands, team, state)), artifact_id);
    }),
  );
}

/** Keeps the bytes of an artifact: those that came with the request, or those that were uploaded. */
export type Storing = (team: string, artifact: () => Artifact, content?: Uint8Array) => Promise<string>;

/** For the files of one request. After a fault of the storage, none of the rest is tried. */
export function openStoring(blobs: Blobs): Storing {
  const turns = openSemaphore(STORED_AT_ONCE);
  let fault: unknown = null;
  return (team, artifactOf, content) =>
    turns.run(Infinity, async () => {
      if (fault !== null) throw fault;
      try {
        return await store(blobs, team, artifactOf(), content);
      } catch (error) {
        if (!isRefusal(error)) fault = error;
        throw error;
      }
    });
}

async function store(
  blobs: Blobs,
  team: string,
  { artifact_id, size_bytes, content_type: contentType }: Artifact,
  content: Uint8Array | undefined,
): Promise<string> {
  const place = { team, artifact: artifact_id };
  if (content !== undefined) return blobs.put(place, { bytes: content, contentType });
  const kept = await blobs.keep(place, { size: size_bytes, contentType });
  if (kept.version !== null) return kept.version;
  if (kept.found === null) fail('upload_missing', 'Nothing was uploaded for this artifact yet.');
  return fail('size_mismatch', `The upload has ${kept.found} bytes, but ${size_bytes} bytes were announced.`);
}

/** Returns the id of the result that decides on an artifact. @throws AppError `not_found`. */
export async function resultOf(
  commands: CommandHandler,
  context: CommandContext,
  artifact_id: string,
): Promise<string> {
  const parent = await commands.load(artifactParent, streamNameOf('artifact', context.team, artifact_id));
  return mustBePresent(seenBy(context, parent), 'artifact').result_id;
}

function isConfirmed(state: Result | null, artifact_id: string): state is PresentResult {
  return state?.life === 'present' && (findArtifact(state, artifact_id)?.stored_as ?? null) !== null;
}

export function viewOf(state: Result, artifact_id: string): ArtifactView {
  const parent = mustBePresent(state, 'artifact');
  const { test_result_id, project_id } = parent;
  return { ...(findArtifact(parent, artifact_id) ?? notFound('artifact')), test_result_id, project_id };
}
