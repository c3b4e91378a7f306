/** The artifacts of a result: up to a limit at once, so the result's stream decides (docs/api.md, section 2). */
import { fail } from '../errors.js';
import type { Instant } from './event.js';
import type { ArtifactEvent, EventData, Fact } from './events.js';
import type { Metadata } from './run.js';
import { limits } from '../limits.js';

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
  /** The version of its bytes that is kept; null until it is confirmed. */
  stored_as: string | null;
};

/** What is said of an artifact when it is announced. */
export type NewArtifact = Omit<Artifact, 'created_at' | 'stored_as'>;

export type ArtifactCommand =
  | { type: 'CreateArtifact'; at: Instant; maxResultAgeMs: number; artifact: NewArtifact }
  | { type: 'ConfirmArtifact'; at: Instant; artifact_id: string; stored_as: string }
  | { type: 'DeleteArtifact'; at: Instant; artifact_id: string }
  /** Nothing happens where its time has not come, or where it is gone. */
  | { type: 'ExpireArtifact'; at: Instant; artifact_id: string };

/** What the artifacts need to know of their result. */
type Parent = {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  created_at: Instant;
  artifacts?: readonly Artifact[];
};

/** Whether it is there for a client: past its time it is gone, even before the janitor has come. */
export function isThere(artifact: Pick<Artifact, LifeField>, at: Instant): boolean {
  return artifact.expires_at > at && (artifact.stored_as !== null || artifact.upload_expires_at > at);
}

type LifeField = 'expires_at' | 'upload_expires_at' | 'stored_as';

/** The artifact that is there under this id. @throws LedgerError `not_found`. */
export function artifactOf(parent: Pick<Parent, 'artifacts'>, id: string, at: Instant): Artifact {
  const found = parent.artifacts?.find(({ artifact_id }) => artifact_id === id);
  return found !== undefined && isThere(found, at) ? found : noArtifact();
}

/** @throws LedgerError `not_found`, `result_too_old`, `artifact_limit`. */
export function decideArtifact(command: ArtifactCommand, parent: Parent): Fact<ArtifactEvent>[] {
  const { artifacts = [] } = parent;
  switch (command.type) {
    case 'CreateArtifact': {
      const { artifact, at, maxResultAgeMs } = command;
      if (artifacts.some(({ artifact_id }) => artifact_id === artifact.artifact_id)) {
        fail('write_conflict', 'The artifact is there already.');
      }
      if (Date.parse(at) - Date.parse(parent.created_at) > maxResultAgeMs) {
        fail(
          'result_too_old',
          `The result is too old for new artifacts: it was created ${parent.created_at}.`,
        );
      }
      if (artifacts.filter((each) => isThere(each, at)).length >= limits.artifactsPerResult) {
        fail(
          'artifact_limit',
          `The result has ${limits.artifactsPerResult} artifacts, or uploads that may still come.`,
        );
      }
      return [{ type: 'ArtifactCreated', data: { ...idsOf(parent), ...artifact } }];
    }
    case 'ConfirmArtifact': {
      const { artifact_id, stored_as } = artifactOf(parent, command.artifact_id, command.at);
      if (stored_as !== null) return [];
      const data = { ...idsOf(parent), artifact_id, stored_as: command.stored_as };
      return [{ type: 'ArtifactConfirmed', data }];
    }
    case 'DeleteArtifact':
      return [gone(parent, artifactOf(parent, command.artifact_id, command.at), 'requested')];
    case 'ExpireArtifact': {
      const found = artifacts.find(({ artifact_id }) => artifact_id === command.artifact_id);
      if (found === undefined || isThere(found, command.at)) return [];
      return [gone(parent, found, found.stored_as === null ? 'never_confirmed' : 'expired')];
    }
  }
}

/** What happens to the artifacts of a result that is deleted. */
export function goneWith(parent: Parent): Fact<ArtifactEvent>[] {
  return (parent.artifacts ?? []).map((artifact) => gone(parent, artifact, 'result_deleted'));
}

/** The result with what has become of its artifacts; without the field where it has none. */
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

function gone(
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

function noArtifact(): never {
  return fail('not_found', 'There is no such artifact.');
}
