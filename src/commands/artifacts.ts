/** The commands on artifacts. They touch the blob store as well as the stream of the result. */
import { artifactParent } from '../domain/artifact/artifact-parent.js';
import { artifactOf, findArtifact, type Artifact, type NewArtifact } from '../domain/artifact/artifact.js';
import { streamName } from '../domain/event.js';
import { latest } from '../domain/instant.js';
import { mustBePresent, notFound } from '../domain/life.js';
import { result, type PresentResult, type Result } from '../domain/result.js';
import { streamNameOf } from '../domain/team-streams.js';
import { fail } from '../errors.js';
import { instant, addMilliseconds, type Clock } from '../clock.js';
import { serializeByStream } from './serialize-by-stream.js';
import type { CommandContext, Ledger } from './ledger.js';
import { checkProjectTakesWrites } from './projects.js';
import type { Blobs } from '../ports/blobs.js';

export type Artifacts = { ledger: Ledger; blobs: Blobs; clock: Clock; limits: ArtifactLimits };

/** In milliseconds: the age up to which a result takes artifacts, the life of an artifact and of an upload URL. */
export type ArtifactLimits = { maxResultAgeMs: number; ttlMs: number; uploadTtlMs: number };

export type WantedArtifact = Pick<Artifact, 'label' | 'kind' | 'content_type' | 'size_bytes'> &
  Partial<Pick<Artifact, 'test_step' | 'metadata'>> & { test_result_id: string };

/** An artifact with the ids of its result and project. */
export type ArtifactView = Artifact & { test_result_id: string; project_id: string };

/** Serializes the commands on each result: a pipeline creates and confirms all artifacts of a result at once. */
export function openArtifacts(parts: Artifacts): Artifacts {
  return { ...parts, ledger: serializeByStream(parts.ledger) };
}

/**
 * Creates an artifact and returns it with the URL for its upload. A repeat with the same ids returns what the first try
 * returned, even if the artifact has changed since. `origin`: the scheme and host by which the client reached us.
 * @throws LedgerError `not_found`, `result_too_old`, `artifact_limit`, `project_inactive`.
 */
export async function createArtifact(
  { ledger, blobs, limits }: Artifacts,
  context: CommandContext,
  wanted: WantedArtifact,
  origin: string,
): Promise<{ artifact: ArtifactView; uploadUrl: string }> {
  const { team, at, ids } = context;
  const { test_result_id, test_step = null, metadata = null, ...rest } = wanted;
  const artifact_id = ids.created('artifact');
  const artifact: NewArtifact = {
    artifact_id,
    ...rest,
    test_step,
    metadata,
    expires_at: addMilliseconds(at, limits.ttlMs),
    // No upload may arrive after the artifact has expired.
    upload_expires_at: addMilliseconds(at, Math.min(limits.uploadTtlMs, limits.ttlMs)),
  };
  const { maxResultAgeMs } = limits;
  const command = { type: 'CreateArtifact', at, maxResultAgeMs, artifact } as const;
  let assigned = false;
  const { state } = await ledger.execute(
    result,
    streamNameOf('result', team, test_result_id),
    context,
    command,
    {
      async check(before) {
        const parent = mustBePresent(before, 'result');
        await checkProjectTakesWrites(ledger, team, parent.project_id);
        if (!assigned) await assign(ledger, context, parent, artifact_id);
        assigned = true;
      },
    },
  );
  const created = viewOf(state, artifact_id);
  const upload = { size: created.size_bytes, expiresAt: created.upload_expires_at, origin };
  return { artifact: created, uploadUrl: await blobs.uploadUrl({ team, artifact: artifact_id }, upload) };
}

/**
 * Makes an artifact visible, with the bytes that were uploaded last. A repeat changes nothing.
 * @throws LedgerError `not_found`, `project_inactive`, `upload_missing`, `size_mismatch`, `blobs_unavailable`.
 */
export async function confirmArtifact(
  { ledger, blobs, clock }: Artifacts,
  context: CommandContext,
  artifact_id: string,
): Promise<ArtifactView> {
  const { team, at } = context;
  const stream = await resultStreamOf(ledger, team, artifact_id);
  if (context.resumed) {
    const answered = await ledger.answered(result, stream, context);
    if (answered !== null) return viewOf(answered, artifact_id);
  }
  const parent = mustBePresent(await ledger.load(result, stream), 'artifact');
  // The instant of a request is that of its first try. After the end of the upload time, another artifact may have
  // taken the place of this one, and the janitor deletes its bytes.
  const now = () => latest(instant(clock), at);
  const artifact = artifactOf(parent, artifact_id, now());
  await checkProjectTakesWrites(ledger, team, parent.project_id);
  if (artifact.stored_as !== null) return viewOf(parent, artifact_id);

  // Once more, directly before the bytes are kept: `settledAfterMs` relies on it.
  const { size_bytes, content_type } = artifactOf(parent, artifact_id, now());
  const kept = await blobs.keep(
    { team, artifact: artifact_id },
    { size: size_bytes, contentType: content_type },
  );
  if (kept.version === null) {
    if (kept.found === null) fail('upload_missing', 'Nothing was uploaded for this artifact yet.');
    fail('size_mismatch', `The upload has ${kept.found} bytes, but ${size_bytes} bytes were announced.`);
  }
  const { version: stored_as } = kept;
  // If the decider refuses, or another try has kept a version too, the janitor deletes this version.
  const command = async () =>
    // A new look at the clock: it takes a while to keep a large file.
    ({ type: 'ConfirmArtifact', at: now(), artifact_id, stored_as }) as const;
  const { state } = await ledger.execute(result, stream, context, command, { differsByTry: true });
  return viewOf(state, artifact_id);
}

/** Deletes an artifact. The janitor deletes its bytes. @throws LedgerError `not_found`, `project_inactive`. */
export async function deleteArtifact(
  { ledger }: Pick<Artifacts, 'ledger'>,
  context: CommandContext,
  artifact_id: string,
): Promise<void> {
  const { team, at } = context;
  const command = { type: 'DeleteArtifact', at, artifact_id } as const;
  const stream = await resultStreamOf(ledger, team, artifact_id);
  await ledger.execute(result, stream, context, command, {
    check: (before) => checkProjectTakesWrites(ledger, team, mustBePresent(before, 'result').project_id),
  });
}

/**
 * Records the result of an artifact. This comes before the artifact itself: an id that leads to a result without the
 * artifact does no harm, but an artifact that no id leads to could never be confirmed.
 */
async function assign(
  ledger: Ledger,
  context: CommandContext,
  { test_result_id: result_id, project_id, test_run_id: run_id }: PresentResult,
  artifact_id: string,
): Promise<void> {
  const stream = streamName('artifact', context.team, artifact_id);
  const command = { type: 'AssignArtifact', artifact_id, result_id, project_id, run_id } as const;
  await ledger.execute(artifactParent, stream, context, command, { newStream: true });
}

/** Returns the stream that decides on an artifact. @throws LedgerError `not_found`. */
async function resultStreamOf(ledger: Ledger, team: string, artifact_id: string): Promise<string> {
  const parent = await ledger.load(artifactParent, streamNameOf('artifact', team, artifact_id));
  return streamName('result', team, mustBePresent(parent, 'artifact').result_id);
}

function viewOf(state: Result, artifact_id: string): ArtifactView {
  const parent = mustBePresent(state, 'artifact');
  const { test_result_id, project_id } = parent;
  return { ...(findArtifact(parent, artifact_id) ?? notFound('artifact')), test_result_id, project_id };
}
