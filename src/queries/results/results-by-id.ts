/** Reads results by their ids, wherever the read models have them: by themselves or in packs. */
import { setImmediate } from 'node:timers/promises';
import {
  bodyDocuments,
  bodyIdAt,
  changedDocuments,
  packDocuments,
  packedAt,
  packPlaceOf,
  resultIdAt,
  resultIn,
  type BodyDocument,
  type PackDocument,
} from '../../../projections/records/result-packs.js';
import { resultDocuments, type ResultDocument } from '../../../projections/records/run-documents.js';
import { maySee, wholeTeam, type Reader } from '../../domain/teams/access.js';
import { notFound } from '../../domain/life.js';
import type { TeamViews } from '../team-views.js';

/** A result in a pack that was read. */
export type Packed = { pack: PackDocument; n: number };

/** One result. @throws AppError `not_found` */
export function resultById(views: TeamViews, reader: Reader, id: string): Promise<ResultDocument> {
  return packPlaceOf(id) === null ? views.get(resultDocuments, reader, id) : packedById(views, reader, id);
}

async function packedById(views: TeamViews, reader: Reader, id: string): Promise<ResultDocument> {
  const [found] = await resultsById(views, reader, [id]);
  return found ?? notFound('result');
}

/** The results that exist, in the order of the ids. */
export async function resultsById(
  views: TeamViews,
  reader: Reader,
  ids: readonly string[],
): Promise<ResultDocument[]> {
  const places = ids.map((id) => ({ id, place: packPlaceOf(id) }));
  const alone = places.filter(({ place }) => place === null).map(({ id }) => id);
  const packIds = new Set(places.flatMap(({ place }) => place?.pack ?? []));
  const [singles, packs] = await Promise.all([
    some(alone, () => views.some(resultDocuments, reader, alone)),
    some([...packIds], (wanted) => views.some(packDocuments, wholeTeam(reader.team_id), wanted)),
  ]);
  const packOf = new Map(packs.map((pack) => [pack.id, pack]));
  const packed = places.flatMap(({ place }) => {
    const pack = place === null ? undefined : packOf.get(place.pack);
    return pack === undefined ? [] : [{ pack, n: place!.n }];
  });
  const found = new Map<string, ResultDocument>();
  // A pack is of one run, and only its results say of which project.
  const inPacks = (await packedResults(views, reader.team_id, packed)).filter((each) =>
    maySee(reader, each.project_id),
  );
  for (const each of [...singles, ...inPacks]) found.set(each.test_result_id, each);
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Those of some results of packs that are there. A body is never written again, so it is as old as its pack. */
export async function packedResults(
  views: TeamViews,
  team: string,
  wanted: readonly Packed[],
): Promise<ResultDocument[]> {
  const changed: string[] = [];
  const whole: (Packed & { body: string })[] = [];
  for (const { pack, n } of wanted) {
    const packed = packedAt(pack, n);
    if (packed?.isChanged === true) changed.push(resultIdAt(pack, n));
    else if (packed !== null) whole.push({ pack, n, body: bodyIdAt(pack, n) });
  }
  const bodyIds = [...new Set(whole.map(({ body }) => body))];
  const [documents, bodies] = await Promise.all([
    some(changed, (ids) => views.some(changedDocuments, wholeTeam(team), ids)),
    bodiesInTurns(views, team, bodyIds),
  ]);
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  const unchanged = whole.flatMap(({ pack, n, body: id }) => {
    const body = bodyOf.get(id);
    return body === undefined ? [] : [resultIn(pack, body, n)];
  });
  return [...documents, ...unchanged];
}

/** A body may have some hundred KiB: other requests have their turns between these parts. */
const BODIES_IN_A_PART = 4;

async function bodiesInTurns(
  views: TeamViews,
  team: string,
  ids: readonly string[],
): Promise<BodyDocument[]> {
  const found: BodyDocument[] = [];
  for (let from = 0; from < ids.length; from += BODIES_IN_A_PART) {
    if (from > 0) await setImmediate();
    const part = ids.slice(from, from + BODIES_IN_A_PART);
    found.push(...(await views.some(bodyDocuments, wholeTeam(team), part)));
  }
  return found;
}

/** Most reads are of results of one kind. */
async function some<T>(ids: readonly string[], read: (ids: readonly string[]) => Promise<T[]>): Promise<T[]> {
  return ids.length === 0 ? [] : read(ids);
}
