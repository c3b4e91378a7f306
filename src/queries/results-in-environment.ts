/** Which results of a run are in an environment. */
import { entryDocuments } from '../../projections/history/entries.js';
import { history } from '../../projections/history/history.js';
import { environmentTest, packDocuments, packPlaceOf } from '../../projections/records/result-packs.js';
import { resultIdIn, type PackedResult } from '../domain/comparison/packed-results.js';
import type { EnvironmentKey } from '../domain/environment.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import type { TeamViews } from './team-views.js';

/** Those of some results, which are final, in their order. */
export type InEnvironment = (
  team: string,
  results: readonly PackedResult[],
  environment: EnvironmentKey,
) => Promise<PackedResult[]>;

/**
 * A pack says it of 500 results of a submission. Of those that were posted by themselves, their entries say it: these are smaller
 * than their records.
 */
export function openInEnvironment(records: TeamViews, historyReader: ViewReader): InEnvironment {
  const views = typedViews(historyReader, history);
  return async (team, results, environment) => {
    const isIn = environmentTest(environment);
    const ids = results.map(resultIdIn);
    const places = ids.map(packPlaceOf);
    const alone = ids.filter((_, n) => places[n] === null);
    const [packs, entries] = await Promise.all([
      records.some(packDocuments, team, [...new Set(places.flatMap((place) => place?.pack ?? []))]),
      views.get(entryDocuments, alone),
    ]);
    const packOf = new Map(packs.map((pack) => [pack.id, pack]));
    const found = new Set(
      alone.filter((_, n) => {
        const entry = entries[n] ?? null;
        return entry !== null && entry.none === undefined && (entry.environment ?? '') === environment;
      }),
    );
    return results.filter((_, n) => {
      const place = places[n] ?? null;
      if (place === null) return found.has(ids[n]!);
      const pack = packOf.get(place.pack);
      return pack !== undefined && isIn(pack, place.n);
    });
  };
}
