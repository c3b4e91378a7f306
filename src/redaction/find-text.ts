/** Where a text is: in contents of results, in artifacts that are texts, and in the events of a team. */
import { setImmediate as turn } from 'node:timers/promises';
import { artifactDocuments, type ArtifactDocument } from '../../projections/records/artifacts.js';
import { projectDocuments } from '../../projections/records/projects.js';
import {
  resultDocuments,
  runDocuments,
  type ResultDocument,
} from '../../projections/records/run-documents.js';
import { hashesOf } from '../domain/contents.js';
import { START } from '../domain/event.js';
import { fieldsMasked } from '../domain/redaction/mask-event.js';
import { thingOf } from '../domain/redaction/mask-fields.js';
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

/** What a run, or a result without one, holds of the text. */
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
      const run = own.get(holder);
      if (run === undefined) continue;
      const found = await hashesWith(stores, hashes, text);
      if (found.length > 0)
        yield { holder, hashes: found, run, places: await placesOf(stores, wanted, { holder, run, found }) };
    }
    await turn();
  }
}

/** Those of the team, and of the project: each with its run, null for a result without one. */
async function ownHolders(
  { views }: TextStores,
  { team, project }: Wanted,
  holders: readonly string[],
): Promise<Map<string, string | null>> {
  const reader = { team_id: team, project_ids: project === null ? null : [project] };
  const isResult = (holder: string) => holder.startsWith('result_');
  const runs = await views.some(
    runDocuments,
    reader,
    holders.filter((holder) => !isResult(holder)),
  );
  const results = await views.some(resultDocuments, reader, holders.filter(isResult));
  return new Map([
    ...runs.map(({ test_run_id }) => [test_run_id, test_run_id] as const),
    ...results.map(({ test_result_id }) => [test_result_id, null] as const),
  ]);
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

type OfHolder = { holder: string; run: string | null; found: readonly string[] };

/** The results that name them. None where only an earlier version of a result does, or the title of a group. */
async function placesOf(
  { views }: TextStores,
  { team }: Wanted,
  { holder, run, found }: OfHolder,
): Promise<Place[]> {
  const reader = { team_id: team, project_ids: null };
  const named = new Set(found);
  const of = ({ test_result_id: id, contents }: ResultDocument): Place[] => {
    if (contents === undefined || !hashesOf(contents).some((hash) => named.has(hash))) return [];
    const isMessage = contents.error_message !== undefined && named.has(contents.error_message);
    return [{ type: 'result', id, field: isMessage ? 'error_message' : 'metadata' }];
  };
  if (run === null) return (await views.some(resultDocuments, reader, [holder])).flatMap(of);
  const [document] = await views.some(runDocuments, reader, [run]);
  if (document === undefined) return [];
  const places: Place[] = [];
  for (let after: Cursor | undefined; ;) {
    const { items, next } = await pageOfResults(views, document, { limit: RESULTS, after }, async () => 0);
    places.push(...items.flatMap(of));
    if (next === null) return places;
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
