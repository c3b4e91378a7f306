/**
 * The artifacts of a result. They are decided on with their result, in its stream, because their number is limited
 * (docs/api.md, section 2).
 */
import { fail } from '../../errors.js';
import { addMilliseconds } from '../../clock.js';
import type { Instant } from '../event.js';
import type { ArtifactEvent, EventData, Fact } from '../events.js';
import { notFound } from '../life.js';
import { keptForMs, type OwnRetention } from '../retention.js';
import type { Metadata } from '../runs/run.js';
import { limits } from '../../limits.js';

export type Artifact = {
  artifact_id: string;
  label: string;
  kind: EventData['ArtifactCreated']['kind'];
  content_type: string;
  size_bytes: number;
  test_step: string | null;
  metadata: Metadata | null;
  expires_at: Instant;
  upload_expires_at: Instant;
  created_at: Instant;
  /** The version of the bytes in the blob store. Null until the artifact is confirmed. */
  stored_as: string | null;
};

/** An artifact as it is announced, before its upload. */
export type NewArtifact = Omit<Artifact, 'created_at' | 'stored_as'>;

export type StoredArtifact = { artifact_id: string; stored_as: string };

/** `kept`: by the project of the result, as it is now. */
export type ArtifactCommand =
  /** Creates the first ones that the result has room for. */
  | {
      type: 'CreateArtifacts';
      at: Instant;
      kept?: ArtifactsKept;
      maxResultAgeMs: number;
      artifacts: readonly NewArtifact[];
    }
  /** Confirms those that are there. */
  | { type: 'ConfirmArtifacts'; at: Instant; kept?: ArtifactsKept; stored: readonly StoredArtifact[] }
  | { type: 'DeleteArtifact'; at: Instant; kept?: ArtifactsKept; artifact_id: string }
  /** Those that are there of these. */
  | { type: 'RedactArtifacts'; artifacts: readonly string[] }
  /** Changes nothing before the artifact expires, or after it is deleted. */
  | { type: 'ExpireArtifact'; at: Instant; kept?: ArtifactsKept; artifact_id: string };

/** How long a project keeps artifacts: undefined where it says nothing. */
export type ArtifactsKept = OwnRetention['artifacts'];

/** The part of a result's state that its artifacts depend on. */
type Parent = {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  created_at: Instant;
  artifacts?: readonly Artifact[];
};

type Create = Extract<ArtifactCommand, { type: 'CreateArtifacts' }>;
type Confirm = Extract<ArtifactCommand, { type: 'ConfirmArtifacts' }>;
type Expire = Extract<ArtifactCommand, { type: 'ExpireArtifact' }>;

/** The end of an artifact that is kept for ever. */
export const FOREVER: Instant = '9999-12-31T23:59:59.999Z';

/**
 * The artifact with the end that it has by its project of now: a changed policy moves the end of those that are there. Where the
 * project says nothing, each keeps the end that it was made with.
 */
export function withEnd<A extends Pick<Artifact, 'expires_at' | 'created_at'>>(
  artifact: A,
  kept: ArtifactsKept,
): A {
  if (kept === undefined) return artifact;
  const keptMs = keptForMs(kept);
  const expires_at = keptMs === Infinity ? FOREVER : addMilliseconds(artifact.created_at, keptMs);
  return { ...artifact, expires_at };
}

/** When an artifact expires; null for never. `pinned`: its run is. */
export function endOf({ expires_at }: Pick<Artifact, 'expires_at'>, pinned = false): Instant | null {
  return pinned || expires_at === FOREVER ? null : expires_at;
}

/** Whether a client can see the artifact. An expired one is hidden at once, even before the janitor deletes it. */
export function isThere(
  artifact: Pick<Artifact, 'expires_at' | 'upload_expires_at' | 'stored_as'>,
  at: Instant,
): boolean {
  return artifact.expires_at > at && (artifact.stored_as !== null || artifact.upload_expires_at > at);
}

/** Returns the artifact if it has not expired. @throws AppError `not_found`. */
export function artifactOf(parent: Pick<Parent, 'artifacts'>, id: string, at: Instant): Artifact {
  const found = findArtifact(parent, id);
  return found !== undefined && isThere(found, at) ? found : notFound('artifact');
}

/** Returns the artifact, even if it has expired. */
export function findArtifact(
  { artifacts = [] }: Pick<Parent, 'artifacts'>,
  id: string,
): Artifact | undefined {
  return artifacts.find(({ artifact_id }) => artifact_id === id);
}

/** @throws AppError `not_found`, `result_too_old`, `artifact_limit`: where none of several can be taken. */
export function decideArtifact(command: ArtifactCommand, state: Parent): Fact<ArtifactEvent>[] {
  const parent = 'kept' in command ? withEnds(state, command.kept) : state;
  switch (command.type) {
    case 'CreateArtifacts':
      return create(parent, command);
    case 'ConfirmArtifacts':
      return confirm(parent, command);
    case 'DeleteArtifact':
      return [remove(parent, artifactOf(parent, command.artifact_id, command.at), 'requested')];
    case 'RedactArtifacts':
      return (parent.artifacts ?? [])
        .filter(({ artifact_id }) => command.artifacts.includes(artifact_id))
        .map((artifact) => remove(parent, artifact, 'redacted'));
    case 'ExpireArtifact':
      return expire(parent, command);
  }
}

export function withEnds<P extends Pick<Parent, 'artifacts'>>(parent: P, kept: ArtifactsKept): P {
  const { artifacts } = parent;
  if (kept === undefined || artifacts === undefined) return parent;
  return { ...parent, artifacts: artifacts.map((each) => withEnd(each, kept)) };
}

/** Returns the deletion of each artifact of a result. */
export function deleteAllArtifacts(
  parent: Parent,
  reason: 'result_deleted' | 'redacted',
): Fact<ArtifactEvent>[] {
  return (parent.artifacts ?? []).map((artifact) => remove(parent, artifact, reason));
}

/** Returns the result after an event of one of its artifacts. Without artifacts it has no field for them. */
export function evolveArtifacts<P extends Parent>(
  parent: P,
  event: Fact<ArtifactEvent> & { meta: { at: Instant } },
): P {
  const { artifacts = [], ...rest } = parent;
  switch (event.type) {
    case 'ArtifactCreated': {
      const { result_id: _, project_id: __, run_id: ___, ...artifact } = event.data;
      const created = { ...artifact, created_at: event.meta.at, stored_as: null };
      return { ...parent, artifacts: [...artifacts, created] };
    }
    case 'ArtifactConfirmed': {
      const { artifact_id, stored_as } = event.data;
      if (!artifacts.some((each) => each.artifact_id === artifact_id)) return parent;
      return {
        ...parent,
        artifacts: artifacts.map((each) =>
          each.artifact_id === artifact_id ? { ...each, stored_as } : each,
        ),
      };
    }
    case 'ArtifactDeleted': {
      const left = artifacts.filter(({ artifact_id }) => artifact_id !== event.data.artifact_id);
      if (left.length === artifacts.length) return parent;
      return left.length === 0 ? (rest as P) : { ...parent, artifacts: left };
    }
  }
}

function create(parent: Parent, { artifacts, at, kept, maxResultAgeMs }: Create): Fact<ArtifactEvent>[] {
  const { artifacts: present = [], created_at } = parent;
  if (artifacts.some(({ artifact_id }) => findArtifact(parent, artifact_id) !== undefined)) {
    fail('write_conflict', 'The artifact exists already.');
  }
  if (Date.parse(at) - Date.parse(created_at) > maxResultAgeMs) {
    fail('result_too_old', `The result is too old for new artifacts. It was created at ${created_at}.`);
  }
  const room = limits.artifactsPerResult - present.filter((each) => isThere(each, at)).length;
  if (room <= 0) failFull();
  return artifacts.slice(0, room).map((artifact) => {
    const { expires_at } = withEnd({ ...artifact, created_at: at }, kept);
    const { upload_expires_at: upload } = artifact;
    const upload_expires_at = upload < expires_at ? upload : expires_at;
    const data = { ...idsOf(parent), ...artifact, expires_at, upload_expires_at };
    return { type: 'ArtifactCreated', data };
  });
}

/** @throws AppError `artifact_limit` */
export function failFull(): never {
  return fail(
    'artifact_limit',
    `The result has ${limits.artifactsPerResult} artifacts. Uploads that may still come count.`,
  );
}

function confirm(parent: Parent, { stored, at }: Confirm): Fact<ArtifactEvent>[] {
  const there = stored.filter(({ artifact_id }) => {
    const found = findArtifact(parent, artifact_id);
    return found !== undefined && isThere(found, at);
  });
  if (there.length === 0) notFound('artifact');
  return there
    .filter(({ artifact_id }) => findArtifact(parent, artifact_id)?.stored_as === null)
    .map((data) => ({ type: 'ArtifactConfirmed', data: { ...idsOf(parent), ...data } }));
}

function expire(parent: Parent, { artifact_id, at }: Expire): Fact<ArtifactEvent>[] {
  const found = findArtifact(parent, artifact_id);
  if (found === undefined || isThere(found, at)) return [];
  return [remove(parent, found, found.stored_as === null ? 'never_confirmed' : 'expired')];
}

function remove(
  parent: Parent,
  { artifact_id, size_bytes, stored_as }: Artifact,
  reason: EventData['ArtifactDeleted']['reason'],
): Fact<ArtifactEvent> {
  const data = { ...idsOf(parent), artifact_id, reason, confirmed: stored_as !== null, size_bytes };
  return { type: 'ArtifactDeleted', data };
}

function idsOf({ test_result_id, project_id, test_run_id }: Parent) {
  return { result_id: test_result_id, project_id, run_id: test_run_id };
}
