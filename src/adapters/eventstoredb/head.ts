/** The position of the newest event, of the whole log and of one team. */
import { coalesce } from '../../concurrency/coalesce.js';
import { teamStreams } from '../../domain/teams/team-streams.js';
import { type Position, START, laterPosition } from '../../domain/event.js';
import type { StreamNames } from './names.js';
import type { ReadPage } from './page.js';
import { type EsdbReader, type KnownEnd, NOTHING } from './read.js';
import { callEnd } from './connection.js';
import type { Tail } from './tail.js';
import type { TeamHead } from './team-heads.js';

export type Heads = {
  /** The position of the newest event of ours. It is read after the call begins. */
  newest(): Promise<Position>;
  /** The same for a team. If nothing of the team is newer than `since`, it may return any position up to `since`. */
  ofTeam(team: string, since?: Position): Promise<Position>;
};

/** How long a new read waits for the one under way, which may hang. */
const HANGING_READ_MS = 200;

export type HeadsOptions = {
  reader: EsdbReader;
  readPage: ReadPage;
  tail: Tail;
  names: StreamNames;
  /** Throws when the log is being closed: a search through a long history must not delay that. */
  mustBeOpen(): void;
};

export function openHeads({ reader, readPage, tail, names, mustBeOpen }: HeadsOptions): Heads {
  const scans = new Map<string, { since: Position; upTo: Position; head: Promise<TeamHead> }>();
  const newest = coalesce(async () => (await reader.newest(tail.known())).position, HANGING_READ_MS);

  async function ofTeam(team: string, since: Position = START): Promise<Position> {
    const end = callEnd();
    await tail.reached(await newest(), end);
    for (;;) {
      const known = tail.teams.of(team);
      if (known.newest !== null) return known.newest;
      if (since >= known.since) return since;
      const head = await searchTeam(team, since, known.since);
      const now = tail.teams.of(team);
      // During the search, the tail may have seen a new event of the team, and forgotten it again.
      if (now.newest !== null || now.since > known.since) continue;
      tail.teams.learn(team, head);
      return head.newest ?? since;
    }
  }

  /**
   * Searches a team's newest event after one position and up to another. These old events do not change any more, so
   * one search that began further back serves all callers: each names another position, because the views move on.
   */
  function searchTeam(team: string, since: Position, upTo: Position): Promise<TeamHead> {
    const under = scans.get(team);
    if (under !== undefined && under.since <= since && under.upTo >= upTo) return under.head;
    const head = searchPages(team, since, upTo).finally(() => {
      if (scans.get(team)?.head === head) scans.delete(team);
    });
    scans.set(team, { since, upTo, head });
    return head;
  }

  async function searchPages(team: string, since: Position, upTo: Position): Promise<TeamHead> {
    const filter = names.filter({ streams: teamStreams(team) });
    let newest: Position | null = null;
    for (let from = since; from < upTo;) {
      mustBeOpen();
      const page = await readPage({ after: from, newest: upTo, limit: 1_000, filter });
      newest = page.events.at(-1)?.position ?? newest;
      from = laterPosition(page.position, from);
    }
    return { newest, since };
  }

  return { newest, ofTeam };
}

/** The newest events that are read one by one, before the log is searched for any event of ours. */
const NEWEST_SEARCHED = 5_000;

/**
 * Finds where the log ends when it is opened: at the newest event of ours. In a new namespace on a server that is full
 * of other events there is none. The server's filter searches 20 times faster than reading backwards does.
 */
export async function findStart(
  reader: EsdbReader,
  readPage: ReadPage,
  names: StreamNames,
): Promise<KnownEnd> {
  const near = await reader.newestAmong(NEWEST_SEARCHED);
  if (near !== null) return near;
  const end = await reader.end();
  const filter = names.filter(undefined);
  for (let after = START; after < end;) {
    const page = await readPage({ after, newest: end, limit: 1, filter });
    if (page.events.length > 0) return reader.newest(NOTHING);
    after = page.position;
  }
  return { position: START, covered: end };
}
