/** The record of an artifact, field by field (docs/api.md, section 2.1). */
import type { ArtifactView } from '../../commands/artifacts.js';

export function artifactRecord(artifact: ArtifactView) {
  const { artifact_id, test_result_id, project_id, label, kind, content_type, size_bytes } = artifact;
  const { test_step, metadata, expires_at, created_at } = artifact;
  return {
    artifact_id,
    test_result_id,
    project_id,
    label,
    kind,
    content_type,
    size_bytes,
    test_step,
    metadata,
    expires_at,
    created_at,
  };
}
