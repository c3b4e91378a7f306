/** From an event filter to the queries of a page: which index serves it, and how many events one page may read. */
import type { EventFilter } from '../../../ports/event-log.js';
import { EVENT_ROW_OR_POSITION } from './event-rows.js';
import { FREQUENT_CATEGORIES, IS_RARE } from './file.js';
import { lastCharactersOf, type Partitions } from '../../../domain/partition.js';
import { parsePrefix } from '../../shared/event-checks.js';

/**
 * The most events that one page reads. Without a limit, a page that finds nothing in a long history would block its
 * thread for seconds. With it, the page comes back empty after 6 to 9 ms, and says how far it has read.
 */
export const MOST_IN_A_RANGE = 20_000;
/** A lower limit where each event is looked up: that takes 1.7 us per event, and reading a range 0.3 us. */
export const MOST_BY_INDEX = 5_000;

/** In the queries, ?1 is the position to start after, ?2 the last position to read, ?3 the limit. */
export type PagePlan = {
  /** Selects `EVENT_ROW_OR_POSITION`. */
  page: string;
  /** The values of ?4 and the following. */
  values: readonly string[];
  /** The most events that a page reads, and so the highest limit. */
  mostRead: number;
  reach: Reach;
};

/**
 * The reason why a page is short. `range`: the caller asks for a range of `mostRead` positions. `page`: nothing,
 * because every row that is read is in the page. `rows`: the number of rows, which `query` counts, with the last one.
 */
export type Reach = { by: 'range' } | { by: 'page' } | { by: 'rows'; query: string };

type StreamPrefix = ReturnType<typeof parsePrefix>;

const TEAM = (parameter: string): string => `(SELECT id FROM teams WHERE name = ${parameter})`;
const RANGE = 'position > ?1 AND position <= ?2';

/** The queries for a filter. Null where it lets nothing through. @throws Error for a text that is not a prefix. */
export function planPage(filter: EventFilter = {}): PagePlan | null {
  const { streams, types, partitions } = filter;
  if (streams?.length === 0 || types?.length === 0 || partitions === '') return null;
  const wanted = streams?.map(parsePrefix);
  const values: string[] = [];
  const bind = (value: string): string => `?${values.push(value) + 3}`;
  const conditions = [
    wanted && streamCondition(wanted, bind),
    types && `e.type IN (${types.map(bind).join(', ')})`,
    partitions !== undefined && ofPartitions(partitions, bind),
  ];
  const where = conditions.filter((condition) => typeof condition === 'string').join(' AND ') || 'true';

  const window = wanted && (oneTeam(wanted, bind) ?? rareCategories(wanted, bind));
  if (window === undefined) {
    // By itself, SQLite would read the whole index of every team that is named, and sort.
    const page = `SELECT ${EVENT_ROW_OR_POSITION} FROM events e NOT INDEXED
      WHERE ${RANGE} AND ${where} ORDER BY position LIMIT ?3`;
    return { page, values, mostRead: MOST_IN_A_RANGE, reach: { by: 'range' } };
  }
  // The window reads an index alone. A row is fetched only for the filter, and its data only for the answer.
  const looked = `SELECT position FROM (${window}) LIMIT ${MOST_BY_INDEX}`;
  const page = `SELECT ${EVENT_ROW_OR_POSITION} FROM (${looked}) w CROSS JOIN events e ON e.position = w.position
    WHERE ${where} LIMIT ?3`;
  const exact =
    types === undefined && partitions === undefined && wanted?.every(({ team }) => team === null) === true;
  const query = `SELECT max(position), count(*) FROM (${looked})`;
  return { page, values, mostRead: MOST_BY_INDEX, reach: exact ? { by: 'page' } : { by: 'rows', query } };
}

function streamCondition(wanted: readonly StreamPrefix[], bind: (value: string) => string): string {
  const teams = [...new Set(wanted.map(({ team }) => team))];
  const either = teams.map((team) => {
    const own = wanted.filter((each) => each.team === team).map(({ category }) => bind(category));
    const categories = `e.category IN (${own.join(', ')})`;
    return team === null ? categories : `(e.team = ${TEAM(bind(team))} AND ${categories})`;
  });
  return `(${either.join(' OR ')})`;
}

/** The teams of these partitions. A query reads the list of teams once. */
function ofPartitions(partitions: Partitions, bind: (value: string) => string): string {
  const last = lastCharactersOf(partitions).map(bind).join(', ');
  return `e.team IN (SELECT id FROM teams WHERE substr(name, -1) IN (${last}))`;
}

/** Where all prefixes name the same team: its part of the index on the team. */
function oneTeam(wanted: readonly StreamPrefix[], bind: (value: string) => string): string | undefined {
  const team = wanted[0]?.team;
  if (typeof team !== 'string' || wanted.some((each) => each.team !== team)) return undefined;
  return `SELECT position FROM events INDEXED BY events_by_team
    WHERE team = ${TEAM(bind(team))} AND ${RANGE} ORDER BY position`;
}

/** Where all prefixes name rare categories: their parts of the partial index, merged in the order of positions. */
function rareCategories(
  wanted: readonly StreamPrefix[],
  bind: (value: string) => string,
): string | undefined {
  const categories = [...new Set(wanted.map(({ category }) => category))];
  if (categories.some((category) => FREQUENT_CATEGORIES.includes(category))) return undefined;
  const parts = categories.map(
    (category) => `SELECT position FROM events INDEXED BY events_by_rare_category
      WHERE ${IS_RARE} AND category = ${bind(category)} AND ${RANGE}`,
  );
  return `${parts.join(' UNION ALL ')} ORDER BY position`;
}
