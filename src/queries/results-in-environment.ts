/** Which results of a run are in an environment. */
import { entryDocuments } from '../../projections/history/entries.js';
import { history } from '../../projections/history/history.js';
import {
  environmentTest,
  PACK_ITEMS,
  packDocuments,
  placeIn,
} from '../../projections/records/result-packs.js';
import { resultIdIn, type PackedResult } from '../domain/comparison/packed-results.js';
import type { EnvironmentKey } from '../domain/environment.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import type { TeamViews } from './team-views.js';

/** Those of some results, which are final, in their order. */
export type InEnvironment = (
  team: string,
  results: readonly PackedResult[],
  environment: EnvironmentKey,
) => Promise<PackedResult[]>;

/** Neighbours that one document tells of: results of one pack, or one that was posted by itself. */
type Part = { document: string; isPack: boolean; results: PackedResult[]; places: number[] };

/**
 * A pack says it of 500 results of a submission. Of those that were posted by themselves, their entries say it: these are smaller
 * than their records.
 */
export function openInEnvironment(records: TeamViews, historyReader: ViewReader): InEnvironment {
  const views = typedViews(historyReader, history);
  return async (team, results, environment) => {
    const isIn = environmentTest(environment);
    const parts = partsOf(results);
    const idsOf = (isPack: boolean) =>
      parts.filter((part) => part.isPack === isPack).map(({ document }) => document);
    const alone = idsOf(false);
    const [packs, entries] = await Promise.all([
      records.some(packDocuments, team, [...new Set(idsOf(true))]),
      views.get(entryDocuments, alone),
    ]);
    const packOf = new Map(packs.map((pack) => [pack.id, pack]));
    const posted = new Set(
      alone.filter((_, n) => {
        const entry = entries[n] ?? null;
        return entry !== null && entry.none === undefined && (entry.environment ?? '') === environment;
      }),
    );
    return parts.flatMap(({ document, isPack, results: own, places }) => {
      if (!isPack) return posted.has(document) ? own : [];
      const pack = packOf.get(document);
      return pack === undefined ? [] : own.filter((_, n) => isIn(pack, places[n]!));
    });
  };
}

function partsOf(results: readonly PackedResult[]): Part[] {
  const parts: Part[] = [];
  let [submission, begin] = ['', 0];
  for (const result of results) {
    const id = resultIdIn(result);
    const origin = bulkOriginOf(id);
    if (origin === null) {
      parts.push({ document: id, isPack: false, results: [result], places: [] });
      submission = '';
      continue;
    }
    const place = origin.ordinal - begin;
    // To make the id of the pack for each result would take longer than all the rest.
    if (origin.submission_id !== submission || place < 0 || place >= PACK_ITEMS) {
      const { pack: document, n } = placeIn(origin.submission_id, origin.ordinal);
      [submission, begin] = [origin.submission_id, origin.ordinal - n];
      parts.push({ document, isPack: true, results: [], places: [] });
    }
    const part = parts.at(-1)!;
    part.results.push(result);
    part.places.push(origin.ordinal - begin);
  }
  return parts;
}
