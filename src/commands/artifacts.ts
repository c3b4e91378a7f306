/** The commands on artifacts. They touch the blob store as well as the stream of the result. */
import { artifactParent } from '../domain/artifact/artifact-parent.js';
import { failFull, findArtifact, type Artifact, type NewArtifact } from '../domain/artifact/artifact.js';
import { streamName } from '../domain/event.js';
import { mustBePresent } from '../domain/life.js';
import { failRedacted, result, type PresentResult, type Result } from '../domain/results/result.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { addMilliseconds } from '../clock.js';
import { serializeByStream } from './serialize-by-stream.js';
import {
  confirmOfResult,
  openStoring,
  resultOf,
  viewOf,
  type ArtifactStores,
  type ArtifactView,
  type Storing,
  type ToConfirm,
} from './confirm-artifacts.js';
import type { CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import type { Contents } from '../ports/contents.js';
import { checkProjectTakesWrites, keptWith } from './projects.js';
import { only, settledInGroups, type Settled } from './settled-in-groups.js';

export type Artifacts = ArtifactStores & { limits: ArtifactLimits; marked: Contents['marked'] };

/** In milliseconds: the age up to which a result takes artifacts, the life of an artifact and of an upload URL. */
export type ArtifactLimits = { maxResultAgeMs: number; ttlMs: number; uploadTtlMs: number };

export type WantedArtifact = Pick<Artifact, 'label' | 'kind' | 'content_type' | 'size_bytes'> &
  Partial<Pick<Artifact, 'test_step' | 'metadata'>> & {
    test_result_id: string;
    /** The file, where it came with the request: `size_bytes` of them. */
    content?: Uint8Array | undefined;
  };

/** Without an upload URL where the file came with the request: then the artifact is confirmed. */
export type CreatedArtifact = { artifact: ArtifactView; uploadUrl: string | null };

/** Serializes the commands on each result: a pipeline creates and confirms all artifacts of a result at once. */
export function openArtifacts(parts: Artifacts): Artifacts {
  return { ...parts, commands: serializeByStream(parts.commands) };
}

/**
 * Creates artifacts and returns them with the URLs for their uploads, in their order. Those whose file came with the
 * request are confirmed. A repeat with the same ids returns what the first try returned, even if an artifact has changed
 * since. `origin`: the scheme and host by which the client reached us.
 * @throws AppError `blobs_unavailable`, `log_unavailable`: some of them may be there then, and a repeat adds the rest.
 *   An artifact is refused by `not_found`, `redacted`, `result_too_old`, `artifact_limit`, `event_limit`, `project_inactive`.
 */
export async function createArtifacts(
  parts: Artifacts,
  context: CommandContext,
  wanted: readonly WantedArtifact[],
  origin: string,
): Promise<Settled<CreatedArtifact>[]> {
  const store = openStoring(parts.blobs);
  let metadataBytes = 0;
  const items = wanted.map((each, n) => {
    const append = Math.floor(metadataBytes / METADATA_BYTES_TOGETHER);
    if (each.metadata) metadataBytes += Buffer.byteLength(JSON.stringify(each.metadata));
    return { ...newArtifact(parts, context, each, n), append };
  });
  return settledInGroups(
    items,
    ({ result_id, append }) => `${append} ${result_id}`,
    (group) => createOfResult(parts, context, group, { store, origin }),
  );
}

/** As `createArtifacts`, for one. @throws AppError of its refusal too */
export async function createArtifact(
  parts: Artifacts,
  context: CommandContext,
  wanted: WantedArtifact,
  origin: string,
): Promise<CreatedArtifact> {
  return only(await createArtifacts(parts, context, [wanted], origin));
}

/** A log takes 500,000 bytes in one append: those of the metadata of one more artifact, and the rest of the events, too. */
const METADATA_BYTES_TOGETHER = 150_000;

type Item = ToConfirm & { artifact: NewArtifact; result_id: string; append: number };

function newArtifact(
  { limits }: Artifacts,
  { at, ids }: CommandContext,
  { test_result_id, content, test_step = null, metadata = null, ...rest }: WantedArtifact,
  n: number,
): Omit<Item, 'append'> {
  const artifact = {
    artifact_id: ids.created('artifact', n),
    ...rest,
    test_step,
    metadata,
    expires_at: addMilliseconds(at, limits.ttlMs),
    // No upload may arrive after the artifact has expired.
    upload_expires_at: addMilliseconds(at, Math.min(limits.uploadTtlMs, limits.ttlMs)),
  };
  const { artifact_id } = artifact;
  return { artifact, artifact_id, result_id: test_result_id, content };
}

/** Creates artifacts of one result, by one append, and confirms those whose file is there, by another one. */
async function createOfResult(
  parts: Artifacts,
  context: CommandContext,
  items: readonly Item[],
  { store, origin }: { store: Storing; origin: string },
): Promise<Settled<CreatedArtifact>[]> {
  const { result_id, append } = items[0]!;
  const state = await announce(parts, stepOf(context, `create ${append}`), items);
  const announced = mustBePresent(state, 'result');
  const isThere = ({ artifact_id }: Item) => findArtifact(announced, artifact_id) !== undefined;
  // After the events that announce them: from those, the janitor finds the bytes of a try that died.
  const sent = items.filter((item) => item.content !== undefined && isThere(item));
  const confirming = stepOf(context, `confirm ${append}`);
  const confirmed = sent.length === 0 ? [] : await confirmOfResult(parts, confirming, result_id, sent, store);
  return Promise.allSettled(
    items.map(async (item) => {
      if (!isThere(item)) failFull();
      const place = sent.indexOf(item);
      if (place !== -1) return { artifact: only([confirmed[place]!]), uploadUrl: null };
      const artifact = viewOf(announced, item.artifact_id);
      const upload = { size: artifact.size_bytes, expiresAt: artifact.upload_expires_at, origin };
      const to = { team: context.team, artifact: item.artifact_id };
      return { artifact, uploadUrl: await parts.blobs.uploadUrl(to, upload) };
    }),
  );
}

/** Several commands of one request on one stream have events of their own, and so ids. */
function stepOf(context: CommandContext, step: string): CommandContext {
  const { ids } = context;
  return { ...context, ids: { ...ids, event: (stream, n) => ids.event(`${stream}/${step}`, n) } };
}

/** Returns the result with the artifacts that it has room for. @throws AppError where it takes none */
async function announce(
  { commands, limits, marked }: Artifacts,
  context: CommandContext,
  items: readonly Item[],
): Promise<Result> {
  const { team, at } = context;
  const stream = streamNameOf('result', team, items[0]!.result_id);
  const artifacts = items.map(({ artifact }) => artifact);
  const command = async (state: Result) => {
    const kept = await keptWith(commands, team, state);
    return { type: 'CreateArtifacts', at, kept, maxResultAgeMs: limits.maxResultAgeMs, artifacts } as const;
  };
  let assigned = false;
  const check = async (before: Result) => {
    const parent = mustBePresent(before, 'result');
    await checkProjectTakesWrites(commands, context, parent.project_id);
    // One that was redacted with its run has no event of that.
    if ((await marked([parent.test_result_id])).has(parent.test_result_id)) failRedacted();
    if (!assigned)
      await Promise.all(artifacts.map(({ artifact_id }) => assign(commands, context, parent, artifact_id)));
    assigned = true;
  };
  return (await commands.execute(result, stream, context, command, { check })).state;
}

/** Deletes an artifact. The janitor deletes its bytes. @throws AppError `not_found`, `project_inactive`. */
export async function deleteArtifact(
  { commands }: Pick<Artifacts, 'commands'>,
  context: CommandContext,
  artifact_id: string,
): Promise<void> {
  const { team, at } = context;
  const command = async (state: Result) =>
    ({ type: 'DeleteArtifact', at, kept: await keptWith(commands, team, state), artifact_id }) as const;
  const stream = streamName('result', team, await resultOf(commands, context, artifact_id));
  await commands.execute(result, stream, context, command, {
    check: (before) => checkProjectTakesWrites(commands, context, mustBePresent(before, 'result').project_id),
  });
}

/**
 * Records the result of an artifact. This comes before the artifact itself: an id that leads to a result without the
 * artifact does no harm, but an artifact that no id leads to could never be confirmed.
 */
async function assign(
  commands: CommandHandler,
  context: CommandContext,
  { test_result_id: result_id, project_id, test_run_id: run_id }: PresentResult,
  artifact_id: string,
): Promise<void> {
  const stream = streamName('artifact', context.team, artifact_id);
  const command = { type: 'AssignArtifact', artifact_id, result_id, project_id, run_id } as const;
  await commands.execute(artifactParent, stream, context, command, { newStream: true });
}
