/** The commands on artifacts: what touches storage as well as the result's stream. */
import { artifactParent } from '../domain/artifact-parent.js';
import { artifactOf, type Artifact, type ArtifactCommand, type NewArtifact } from '../domain/artifact.js';
import { streamName } from '../domain/event.js';
import { latest } from '../domain/instant.js';
import { mustTakeWrites, project } from '../domain/project.js';
import { result, type Result } from '../domain/result.js';
import { fail } from '../errors.js';
import { instant, later, type Clock } from '../clock.js';
import { serializeByStream } from './serialize-by-stream.js';
import type { CommandContext, Ledger } from './ledger.js';
import type { Blobs } from '../ports/blobs.js';
import { nameOf } from '../domain/team-streams.js';

export type Artifacts = { ledger: Ledger; blobs: Blobs; clock: Clock; limits: ArtifactLimits };

/** Milliseconds: a result takes artifacts so long, an artifact lives so long, an upload URL is good so long. */
export type ArtifactLimits = { maxResultAgeMs: number; ttlMs: number; uploadTtlMs: number };

export type WantedArtifact = Pick<Artifact, 'label' | 'kind' | 'content_type' | 'size_bytes'> &
  Partial<Pick<Artifact, 'test_step' | 'metadata'>> & { test_result_id: string };

/** An artifact with the result that it belongs to. */
export type ArtifactView = Artifact & { test_result_id: string; project_id: string };

/** A pipeline announces and confirms all artifacts of a result at once: they take turns. */
export function openArtifacts(parts: Artifacts): Artifacts {
  return { ...parts, ledger: serializeByStream(parts.ledger) };
}

/**
 * Announces an artifact; answers it with the URL for its bytes. A repeat under the same ids answers as the first time,
 * whatever has become of the artifact since. `origin`: where the client reached us.
 * @throws LedgerError `not_found`, `project_inactive`, `result_too_old`, `artifact_limit`.
 */
export async function createArtifact(
  { ledger, blobs, limits }: Artifacts,
  context: CommandContext,
  wanted: WantedArtifact,
  origin: string,
): Promise<{ artifact: ArtifactView; uploadUrl: string }> {
  const { team, at, ids } = context;
  const { test_result_id, test_step = null, metadata = null, ...rest } = wanted;
  const expires_at = later(at, limits.ttlMs);
  const artifact: NewArtifact = {
    artifact_id: ids.created('artifact'),
    ...rest,
    test_step,
    metadata,
    expires_at,
    // Else bytes could come to an artifact whose time is over.
    upload_expires_at: later(at, Math.min(limits.uploadTtlMs, limits.ttlMs)),
  };
  const { artifact_id } = artifact;
  const command = {
    type: 'CreateArtifact',
    at,
    maxResultAgeMs: limits.maxResultAgeMs,
    artifact,
  } as const;
  const stream = nameOf('result', team, test_result_id);
  let assigned = false;
  const { state } = await ledger.execute(result, stream, context, async (present) => {
    await mustAllow(ledger, team, present, command);
    if (!assigned) await assign(ledger, context, present, artifact_id);
    assigned = true;
    return command;
  });
  const created = viewOf(state, artifact_id);
  const upload = { size: created.size_bytes, expiresAt: created.upload_expires_at, origin };
  return { artifact: created, uploadUrl: await blobs.uploadUrl({ team, artifact: artifact_id }, upload) };
}

/**
 * Makes an artifact visible, with what was uploaded last; again, nothing happens.
 * @throws LedgerError `not_found`, `project_inactive`, `upload_missing`, `size_mismatch`, `blobs_unavailable`.
 */
export async function confirmArtifact(
  { ledger, blobs, clock }: Artifacts,
  context: CommandContext,
  artifact_id: string,
): Promise<ArtifactView> {
  const { team, at } = context;
  const stream = await resultOf(ledger, team, artifact_id);
  if (context.resumed) {
    const answered = await ledger.answered(result, stream, context);
    if (answered !== null) return viewOf(answered, artifact_id);
  }
  const present = await ledger.load(result, stream);
  if (present.life !== 'present') return noArtifact();
  // The instant of a request is that of its start, or its first try's: when the upload's time is over, another
  // artifact has its place, and storage is cleared of its bytes.
  const now = () => latest(instant(clock), at);
  const artifact = artifactOf(present, artifact_id, now());
  await mustTakeWritesOf(ledger, team, present.project_id);
  if (artifact.stored_as !== null) return viewOf(present, artifact_id);

  // Once more, as the last thing before: `settledAfterMs` counts on it.
  const { size_bytes, content_type } = artifactOf(present, artifact_id, now());
  const kept = await blobs.keep(
    { team, artifact: artifact_id },
    { size: size_bytes, contentType: content_type },
  );
  if (kept.version === null) {
    if (kept.found === null) fail('upload_missing', 'Nothing was uploaded for this artifact yet.');
    fail('size_mismatch', `The upload has ${kept.found} bytes, and ${size_bytes} were announced.`);
  }
  const { version: stored_as } = kept;
  // What was kept and is refused here, or kept beside what another try has kept, the janitor clears.
  const { state } = await ledger.execute(result, stream, context, async () => {
    // Keeping a large file takes a while.
    return { type: 'ConfirmArtifact', at: now(), artifact_id, stored_as } as const;
  });
  return viewOf(state, artifact_id);
}

/** Deletes an artifact; the janitor deletes its bytes. @throws LedgerError `not_found`, `project_inactive`. */
export async function deleteArtifact(
  { ledger }: Pick<Artifacts, 'ledger'>,
  context: CommandContext,
  artifact_id: string,
): Promise<void> {
  const { team, at } = context;
  const command = { type: 'DeleteArtifact', at, artifact_id } as const;
  const stream = await resultOf(ledger, team, artifact_id);
  await ledger.execute(result, stream, context, async (present) => {
    await mustAllow(ledger, team, present, command);
    return command;
  });
}

/** A fault of the request itself is told before that the project takes none. @throws LedgerError */
async function mustAllow(
  ledger: Ledger,
  team: string,
  present: Result,
  command: ArtifactCommand,
): Promise<void> {
  result.decide(command, present);
  if (present.life === 'present') await mustTakeWritesOf(ledger, team, present.project_id);
}

async function mustTakeWritesOf(ledger: Ledger, team: string, id: string): Promise<void> {
  mustTakeWrites(await ledger.load(project, streamName('project', team, id)));
}

/** Before the artifact itself: an id that leads to a result without it is harmless, one that leads nowhere is not. */
async function assign(
  ledger: Ledger,
  context: CommandContext,
  present: Result,
  artifact_id: string,
): Promise<void> {
  if (present.life !== 'present') return;
  const { test_result_id: result_id, project_id, test_run_id: run_id } = present;
  const stream = streamName('artifact', context.team, artifact_id);
  const command = { type: 'AssignArtifact', artifact_id, result_id, project_id, run_id } as const;
  await ledger.execute(artifactParent, stream, context, command, { fresh: true });
}

/** The stream that decides on an artifact. @throws LedgerError `not_found`. */
async function resultOf(ledger: Ledger, team: string, artifact_id: string): Promise<string> {
  const parent = await ledger.load(artifactParent, nameOf('artifact', team, artifact_id));
  return parent.assigned ? streamName('result', team, parent.result_id) : noArtifact();
}

function viewOf(state: Result, artifact_id: string): ArtifactView {
  if (state.life !== 'present') return noArtifact();
  const found = state.artifacts?.find((each) => each.artifact_id === artifact_id) ?? noArtifact();
  const { test_result_id, project_id } = state;
  return { ...found, test_result_id, project_id };
}

function noArtifact(): never {
  return fail('not_found', 'There is no such artifact.');
}
