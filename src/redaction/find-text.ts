/** Where a text is: in contents of results, in artifacts that are texts, and in the events of a team. */
import { setImmediate as turn } from 'node:timers/promises';
import { artifactDocuments, type ArtifactDocument } from '../../projections/records/artifacts.js';
import { projectDocuments } from '../../projections/records/projects.js';
import { packDocuments, placeIn } from '../../projections/records/result-packs.js';
import {
  resultDocuments,
  runDocuments,
  type ResultDocument,
  type RunDocument,
} from '../../projections/records/run-documents.js';
import { hashesOf } from '../domain/contents.js';
import { START, type Position } from '../domain/event.js';
import { fieldsMasked } from '../domain/redaction/mask-event.js';
import { thingOf } from '../domain/redaction/mask-fields.js';
import { bulkOriginOf } from '../domain/ids.js';
import { isChunk } from '../domain/runs/item-chunk.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import { storedItemEvents } from '../log/item-events.js';
import type { Blobs } from '../ports/blobs.js';
import type { Contents } from '../ports/contents.js';
import type { EventLog } from '../ports/event-log.js';
import type { Cursor } from '../ports/views.js';
import { everyPage } from '../queries/every-page.js';
import { pageOfResults } from '../queries/results/results-page.js';
import type { TeamViews } from '../queries/team-views.js';
import { asInJson } from './stored-answers.js';

export type TextStores = {
  contents: Pick<Contents, 'held' | 'read'>;
  views: TeamViews;
  blobs: Pick<Blobs, 'read'>;
  /** As it is stored. */
  storedLog: Pick<EventLog, 'readAll'>;
};

/** `project`: only there; null for the whole team. */
export type Wanted = { team: string; project: string | null; text: string; up_to: string };

export type Place = { type: 'result' | 'run' | 'project' | 'artifact' | 'event'; id: string; field: string };

/** What a run, a submission, or a result without a run holds of the text. */
export type FoundContents = { holder: string; hashes: string[]; run: string | null; places: Place[] };

const HOLDERS = 50;
const CONTENTS = 100;
const RESULTS = 500;

export async function* contentsWith(stores: TextStores, wanted: Wanted): AsyncGenerator<FoundContents, void> {
  const text = asInJson(wanted.text);
  for (let after = ''; ;) {
    const page = await stores.contents.held(after, HOLDERS);
    if (page.length === 0) return;
    after = page.at(-1)!.holder;
    const own = await ownHolders(
      stores,
      wanted,
      page.map(({ holder }) => holder),
    );
    for (const { holder, hashes } of page) {
      const holding = own.get(holder);
      if (holding === undefined) continue;
      const found = await hashesWith(stores, hashes, text);
      if (found.length === 0) continue;
      const run = holding.run?.test_run_id ?? null;
      yield { holder, hashes: found, run, places: await placesOf(stores, wanted, holding, found) };
    }
    await turn();
  }
}

/** `run`: null for a result without one. `since`: of a submission into a run with a key, the position before its results. */
type Holding = { holder: string; run: RunDocument | null; since: Position | null };

/** Those of the team, and of the project. */
async function ownHolders(
  { views }: TextStores,
  { team, project }: Wanted,
  holders: readonly string[],
): Promise<Map<string, Holding>> {
  const reader = { team_id: team, project_ids: project === null ? null : [project] };
  const isResult = (holder: string) => holder.startsWith('result_');
  const results = await views.some(resultDocuments, reader, holders.filter(isResult));
  const others = holders.filter((holder) => !isResult(holder));
  const first = others.map((submission) => placeIn(submission, 0).pack);
  // A pack names no project: its run decides.
  const packs = await views.some(packDocuments, { team_id: team, project_ids: null }, first);
  const ids = new Set([...others, ...packs.map(({ test_run_id }) => test_run_id)]);
  const found = await views.some(runDocuments, reader, [...ids]);
  const runs = new Map<string, RunDocument>(found.map((run) => [run.test_run_id, run]));
  const own = results.map(({ test_result_id: holder }): Holding => ({ holder, run: null, since: null }));
  for (const holder of others) {
    // The submission of a run without a key has its id.
    const run = runs.get(holder);
    const pack = run === undefined && packs.find(({ submission_id }) => submission_id === holder);
    if (run !== undefined) own.push({ holder, run, since: null });
    else if (pack) {
      const into = runs.get(pack.test_run_id);
      if (into !== undefined) own.push({ holder, run: into, since: pack.since });
    }
  }
  return new Map(own.map((each) => [each.holder, each]));
}

async function hashesWith(
  { contents }: TextStores,
  hashes: readonly string[],
  text: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < hashes.length; from += CONTENTS) {
    const texts = await contents.read(hashes.slice(from, from + CONTENTS));
    for (const [hash, each] of texts) if (each.includes(text)) found.push(hash);
  }
  return found;
}

/** The results that name them. None where only an earlier version of a result does, or the title of a group. */
async function placesOf(
  { views }: TextStores,
  { team }: Wanted,
  { holder, run, since }: Holding,
  found: readonly string[],
): Promise<Place[]> {
  const named = new Set(found);
  const of = ({ test_result_id: id, contents }: ResultDocument): Place[] => {
    if (contents === undefined || !hashesOf(contents).some((hash) => named.has(hash))) return [];
    const isMessage = contents.error_message !== undefined && named.has(contents.error_message);
    return [{ type: 'result', id, field: isMessage ? 'error_message' : 'metadata' }];
  };
  const reader = { team_id: team, project_ids: null };
  if (run === null) return (await views.some(resultDocuments, reader, [holder])).flatMap(of);
  const isIn = ({ test_result_id: id }: ResultDocument) =>
    since === null || bulkOriginOf(id)?.submission_id === holder;
  const places: Place[] = [];
  for (let after: Cursor | undefined = since === null ? undefined : { value: since, id: '' }; ;) {
    const { items, next } = await pageOfResults(views, run, { limit: RESULTS, after }, async () => 0);
    const own = items.filter(isIn);
    places.push(...own.flatMap(of));
    // The results of a submission come one after the other.
    if (next === null || own.length < items.length) return places;
    after = next;
    await turn();
  }
}

const LARGEST_ARTIFACT = 10_000_000;
const IS_TEXT = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|csv|x-sh)\b/;

/** Whether a file is searched for texts. */
export function isSearched({
  content_type,
  size_bytes,
}: Pick<ArtifactDocument, 'content_type' | 'size_bytes'>): boolean {
  return size_bytes <= LARGEST_ARTIFACT && IS_TEXT.test(content_type);
}

export type FoundArtifact = { artifact: string; result: string };

export async function* artifactsWith(
  stores: TextStores,
  wanted: Wanted,
): AsyncGenerator<FoundArtifact, void> {
  const { views, blobs } = stores;
  const { team, text } = wanted;
  for await (const project of projectsOf(views, wanted)) {
    const query = {
      where: { project_id: project },
      sort: { field: 'created_position', direction: 'ascending' },
      limit: CONTENTS,
    } as const;
    for await (const page of everyPage(views, artifactDocuments, query)) {
      for (const artifact of page) {
        const { artifact_id, test_result_id, stored_as } = artifact;
        if (stored_as === null || !isSearched(artifact)) continue;
        const bytes = await blobs.read({ team, artifact: artifact_id }, stored_as);
        if (bytes !== null && Buffer.from(bytes).includes(text)) {
          yield { artifact: artifact_id, result: test_result_id };
        }
      }
    }
  }
}

async function* projectsOf(views: TeamViews, { team, project }: Wanted): AsyncGenerator<string, void> {
  if (project !== null) return yield project;
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  const query = { where: { team_id: team }, sort, limit: CONTENTS };
  for await (const page of everyPage(views, projectDocuments, query)) {
    for (const { project_id } of page) yield project_id;
  }
}

const EVENTS = 500;

/** Page by page. */
export async function* eventsWith({ storedLog }: TextStores, wanted: Wanted): AsyncGenerator<Place[], void> {
  const { team, text, project, up_to } = wanted;
  const rule = { up_to, text, project };
  for (let after = START; ;) {
    const batch = await storedLog.readAll({ after, limit: EVENTS, filter: { streams: teamStreams(team) } });
    const each = batch.events.flatMap((event) => (isChunk(event) ? storedItemEvents(event) : [event]));
    yield each.flatMap((event) => fieldsMasked(event, rule).map((field) => ({ ...thingOf(event), field })));
    after = batch.position;
    if (batch.caughtUp || after >= up_to) return;
    await turn();
  }
}
