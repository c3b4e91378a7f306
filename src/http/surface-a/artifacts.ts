/** Surface A: artifacts. Their bytes never pass through here: clients upload to and download from signed URLs. */
import { artifactDocuments, type ArtifactDocument } from '../../../projections/artifacts.js';
import { resultDocuments } from '../../../projections/runs.js';
import { confirmArtifact, createArtifact, deleteArtifact, type Artifacts } from '../../commands/artifacts.js';
import { instant, later } from '../../clock.js';
import { contentDispositionOf } from '../../artifacts/content-disposition.js';
import type { Cursor } from '../../ports/views.js';
import { isThere } from '../../domain/artifact.js';
import { fail } from '../../errors.js';
import { ok, targetIdOf, withBody, type Call, type Reply, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { artifactRecord } from './records.js';
import { limits } from '../../limits.js';

const PAGE = 100;

export function artifactRoutes(artifacts: Artifacts, views: TeamViews): Route[] {
  const { blobs, clock } = artifacts;

  const remove = {
    method: 'DELETE',
    role: 'member',
    query: 'ArtifactQuery',
    async handle(call: Call): Promise<Reply> {
      const id = targetIdOf(call, 'artifact_id');
      await deleteArtifact(artifacts, call.context, id);
      return ok({ artifact_id: id, deleted: true });
    },
  } as const satisfies Omit<Route, 'path'>;

  /** Those that are visible now, oldest first; more than 50 only where some are past their time. */
  async function visibleOf(test_result_id: string): Promise<ArtifactDocument[]> {
    const found: ArtifactDocument[] = [];
    for (let after: Cursor | null | undefined; after !== null;) {
      const { items, next } = await views.find(artifactDocuments, {
        where: { test_result_id, confirmed: true },
        sort: { field: 'created_position', direction: 'ascending' },
        limit: PAGE,
        ...(after && { after }),
      });
      found.push(...items);
      after = next;
    }
    const now = instant(clock);
    return found.filter((each) => isThere(each, now));
  }

  return [
    {
      method: 'GET',
      path: '/artifact/',
      role: 'viewer',
      query: 'ArtifactsQuery',
      async handle({ key, query, waitForViews }) {
        await waitForViews();
        const { test_result_id } = await views.get(
          resultDocuments,
          key.team_id,
          String(query['test_result_id']),
        );
        return ok({ items: (await visibleOf(test_result_id)).map(artifactRecord) });
      },
    },
    {
      method: 'POST',
      path: '/artifact/',
      role: 'member',
      // Whoever has the URL may upload, so it is signed anew for a repeat, and kept nowhere.
      replayFromEvents: true,
      ...withBody('CreateArtifact', async ({ context, body, origin }) => {
        const { artifact, uploadUrl } = await createArtifact(artifacts, context, body, origin);
        return ok({
          ...artifactRecord(artifact),
          upload_url: uploadUrl,
          upload_method: 'PUT',
          upload_headers: {},
          upload_expires_at: artifact.upload_expires_at,
        });
      }),
    },
    {
      method: 'POST',
      path: '/artifact/:artifact_id/confirm',
      role: 'member',
      async handle(call) {
        const id = targetIdOf(call, 'artifact_id');
        return ok(artifactRecord(await confirmArtifact(artifacts, call.context, id)));
      },
    },
    {
      method: 'GET',
      path: '/artifact/:artifact_id/download',
      role: 'viewer',
      async handle(call) {
        await call.waitForViews();
        const artifact = await views.get(
          artifactDocuments,
          call.key.team_id,
          targetIdOf(call, 'artifact_id'),
        );
        const { artifact_id, content_type: contentType, label, stored_as, expires_at } = artifact;
        const now = instant(clock);
        if (stored_as === null || !isThere(artifact, now)) fail('not_found', 'There is no such artifact.');
        const hence = later(now, limits.downloadUrlMs);
        const expiresAt = hence < expires_at ? hence : expires_at;
        const place = { team: call.key.team_id, artifact: artifact_id };
        const disposition = contentDispositionOf(contentType, label);
        const { origin } = call;
        const download = { contentType, disposition, expiresAt, origin };
        return ok({
          download_url: await blobs.downloadUrl(place, stored_as, download),
          expires_at: expiresAt,
        });
      },
    },
    { ...remove, path: '/artifact/', withQuery: 'artifact_id' },
    { ...remove, path: '/artifact/:artifact_id' },
  ];
}
