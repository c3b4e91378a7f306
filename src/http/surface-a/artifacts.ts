/** Surface A: artifacts. Clients upload to and download from signed URLs; small files may travel in a batch. */
import { runDocuments, type ResultDocument } from '../../../projections/records/run-documents.js';
import { artifactDocuments, type ArtifactDocument } from '../../../projections/records/artifacts.js';
import { projectDocuments } from '../../../projections/records/projects.js';
import { createArtifact, deleteArtifact, type Artifacts } from '../../commands/artifacts.js';
import { confirmArtifact } from '../../commands/confirm-artifacts.js';
import { instant, addMilliseconds } from '../../clock.js';
import { contentDispositionOf } from '../../artifacts/content-disposition.js';
import type { Cursor } from '../../ports/views.js';
import { endOf, isThere, withEnd, type ArtifactsKept } from '../../domain/artifact/artifact.js';
import { wholeTeam } from '../../domain/teams/access.js';
import type { Instant } from '../../domain/event.js';
import { fail } from '../../errors.js';
import { ok, targetIdOf, withBody, type Call, type Reply, type Route } from '../route.js';
import { resultById } from '../../queries/results/results-by-id.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { Sources } from '../sources.js';
import { artifactBatchRoutes } from './artifact-batches.js';
import { artifactRecord, createdArtifactRecord } from './records.js';
import { limits } from '../../limits.js';

const PAGE = 100;

export function artifactRoutes({ artifacts, views, mayGive }: Sources): Route[] {
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
        const of = await resultById(views, key, String(query['test_result_id']));
        const life = await lifeOf(views, of);
        const visible = await visibleOf(views, of.test_result_id, instant(clock), life);
        return ok({ items: visible.map((each) => artifactRecord(each, life.pinned)) });
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
          'redacted',
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
        const confirmed = await confirmArtifact(artifacts, call.context, id);
        return ok(artifactRecord(confirmed));
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
      handle: (call) => download({ ...artifacts, mayGive }, views, call),
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
  { pinned, kept }: Life,
): Promise<ArtifactDocument[]> {
  const found: ArtifactDocument[] = [];
  for (let after: Cursor | null | undefined; after !== null;) {
    const { items, next } = await views.find(artifactDocuments, {
      where: { test_result_id, confirmed: true },
      sort: { field: 'created_position', direction: 'ascending' },
      limit: PAGE,
      ...(after && { after }),
    });
    found.push(...items.map((each) => withEnd(each, kept)));
    after = next;
  }
  return found.filter((each) => pinned || isThere(each, now));
}

/** `pinned`: all of its run is kept. */
type Life = { pinned: boolean; kept: ArtifactsKept };

/** How long the artifacts of a result are kept. */
async function lifeOf(
  views: TeamViews,
  of: Pick<ResultDocument, 'team_id' | 'project_id' | 'test_run_id'>,
): Promise<Life> {
  const [pinned, kept] = await Promise.all([isPinned(views, of), keptBy(views, of)]);
  return { pinned, kept };
}

async function keptBy(
  views: TeamViews,
  { team_id, project_id }: Pick<ResultDocument, 'team_id' | 'project_id'>,
): Promise<ArtifactsKept> {
  const [owner] = await views.some(projectDocuments, wholeTeam(team_id), [project_id]);
  return owner?.retention.artifacts;
}

/** Whether all of the run of a result is kept. */
async function isPinned(
  views: TeamViews,
  { team_id, test_run_id }: Pick<ResultDocument, 'team_id' | 'test_run_id'>,
): Promise<boolean> {
  if (test_run_id === null) return false;
  const [run] = await views.some(runDocuments, wholeTeam(team_id), [test_run_id]);
  return run?.pinned === true;
}

/** Signs a download URL, which works until its own limit, or until the artifact or the key expires, whichever comes first. */
async function download(
  { blobs, clock, mayGive }: Artifacts & Pick<Sources, 'mayGive'>,
  views: TeamViews,
  call: Call,
): Promise<Reply> {
  await call.waitFor('records');
  const team = call.key.team_id;
  const found = await views.get(artifactDocuments, call.key, targetIdOf(call, 'artifact_id'));
  const artifact = withEnd(found, await keptBy(views, found));
  const { artifact_id, content_type, size_bytes, label, stored_as } = artifact;
  const now = instant(clock);
  const latest = addMilliseconds(now, limits.downloadUrlMs);
  // Only near its end it matters whether the run is pinned.
  const ends = latest < artifact.expires_at;
  const pinned = !ends && (await isPinned(views, await resultById(views, call.key, artifact.test_result_id)));
  if (stored_as === null || !(pinned || isThere(artifact, now)))
    fail('not_found', 'This artifact does not exist.');
  const end = endOf(artifact, pinned);
  const all = [latest, end ?? latest, call.key.expires_at ?? latest];
  const expiresAt = all.reduce((first, each) => (each < first ? each : first));
  const place = { team, artifact: artifact_id };
  await mayGive({ place, version: stored_as, content_type, sizeOf: () => size_bytes });
  const url = await blobs.downloadUrl(place, stored_as, {
    contentType: content_type,
    disposition: contentDispositionOf(content_type, label),
    expiresAt,
    origin: call.origin(),
  });
  return ok({ download_url: url, expires_at: expiresAt });
}
