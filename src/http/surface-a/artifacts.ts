/** Surface A: artifacts. Clients upload to and download from signed URLs; small files may travel in a batch. */
import { artifactDocuments, type ArtifactDocument } from '../../../projections/records/artifacts.js';
import { createArtifact, deleteArtifact, type Artifacts } from '../../commands/artifacts.js';
import { confirmArtifact } from '../../commands/confirm-artifacts.js';
import { instant, addMilliseconds } from '../../clock.js';
import { contentDispositionOf } from '../../artifacts/content-disposition.js';
import type { Cursor } from '../../ports/views.js';
import { isThere } from '../../domain/artifact/artifact.js';
import type { Instant } from '../../domain/event.js';
import { fail } from '../../errors.js';
import { ok, targetIdOf, withBody, type Call, type Reply, type Route } from '../route.js';
import { resultById } from '../../queries/results-by-id.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { Sources } from '../sources.js';
import { artifactBatchRoutes } from './artifact-batches.js';
import { artifactRecord, createdArtifactRecord } from './records.js';
import { limits } from '../../limits.js';

const PAGE = 100;

export function artifactRoutes({ artifacts, views }: Sources): Route[] {
  const { clock } = artifacts;

  const remove = {
    method: 'DELETE',
    operation: {
      id: 'deleteArtifact',
      summary: 'Deletes an artifact',
      answers: { 200: 'DeletedArtifact' },
      errors: ['project_inactive', 'event_limit', 'write_conflict', 'blobs_unavailable'],
    },
    role: 'member',
    query: 'ArtifactQuery',
    async handle(call: Call): Promise<Reply> {
      const id = targetIdOf(call, 'artifact_id');
      await deleteArtifact(artifacts, call.context, id);
      return ok({ artifact_id: id, deleted: true });
    },
  } as const satisfies Omit<Route, 'path'>;

  return [
    // Before the paths with an id, which match theirs.
    ...artifactBatchRoutes(artifacts),
    {
      method: 'GET',
      path: '/artifact/',
      operation: {
        id: 'listArtifacts',
        summary: 'Lists the confirmed artifacts of a result, oldest first',
        answers: { 200: { items: 'ArtifactRecord' } },
        errors: ['not_found'],
      },
      role: 'viewer',
      reporter: true,
      query: 'ArtifactsQuery',
      async handle({ key, query, waitFor }) {
        await waitFor('records');
        const { test_result_id } = await resultById(views, key, String(query['test_result_id']));
        return ok({ items: (await visibleOf(views, test_result_id, instant(clock))).map(artifactRecord) });
      },
    },
    {
      method: 'POST',
      path: '/artifact/',
      operation: {
        id: 'createArtifact',
        summary: 'Creates an artifact and signs its upload URL',
        answers: { 200: 'CreatedArtifact' },
        errors: [
          'not_found',
          'artifact_limit',
          'result_too_old',
          'blobs_unavailable',
          'project_inactive',
          'event_limit',
          'write_conflict',
        ],
      },
      role: 'member',
      reporter: true,
      // The URL alone allows an upload, so it is stored nowhere: a repeat gets a URL that is signed again.
      replayFromEvents: true,
      ...withBody('CreateArtifact', async ({ context, body, origin }) => {
        return ok(createdArtifactRecord(await createArtifact(artifacts, context, body, origin())));
      }),
    },
    {
      method: 'POST',
      path: '/artifact/:artifact_id/confirm',
      operation: {
        id: 'confirmArtifact',
        summary: 'Makes an uploaded artifact visible',
        answers: { 200: 'ArtifactRecord' },
        errors: [
          'upload_missing',
          'size_mismatch',
          'blobs_unavailable',
          'project_inactive',
          'event_limit',
          'write_conflict',
        ],
      },
      role: 'member',
      reporter: true,
      async handle(call) {
        const id = targetIdOf(call, 'artifact_id');
        return ok(artifactRecord(await confirmArtifact(artifacts, call.context, id)));
      },
    },
    {
      method: 'GET',
      path: '/artifact/:artifact_id/download',
      operation: {
        id: 'downloadArtifact',
        summary: 'Signs a URL from which the file can be downloaded',
        answers: { 200: 'ArtifactDownload' },
        errors: ['blobs_unavailable'],
      },
      role: 'viewer',
      reporter: true,
      handle: (call) => download(artifacts, views, call),
    },
    { ...remove, path: '/artifact/', withQuery: 'artifact_id' },
    { ...remove, path: '/artifact/:artifact_id' },
  ];
}

/** The visible artifacts of a result, oldest first. A page may hold expired ones, so there can be several pages. */
async function visibleOf(
  views: TeamViews,
  test_result_id: string,
  now: Instant,
): Promise<ArtifactDocument[]> {
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
  return found.filter((each) => isThere(each, now));
}

/** Signs a download URL, which works until its own limit, or until the artifact or the key expires, whichever comes first. */
async function download({ blobs, clock }: Artifacts, views: TeamViews, call: Call): Promise<Reply> {
  await call.waitFor('records');
  const team = call.key.team_id;
  const artifact = await views.get(artifactDocuments, call.key, targetIdOf(call, 'artifact_id'));
  const { artifact_id, content_type: contentType, label, stored_as, expires_at } = artifact;
  const now = instant(clock);
  if (stored_as === null || !isThere(artifact, now)) fail('not_found', 'This artifact does not exist.');
  const ends = [addMilliseconds(now, limits.downloadUrlMs), expires_at, call.key.expires_at ?? expires_at];
  const expiresAt = ends.reduce((first, each) => (each < first ? each : first));
  const url = await blobs.downloadUrl({ team, artifact: artifact_id }, stored_as, {
    contentType,
    disposition: contentDispositionOf(contentType, label),
    expiresAt,
    origin: call.origin(),
  });
  return ok({ download_url: url, expires_at: expiresAt });
}
