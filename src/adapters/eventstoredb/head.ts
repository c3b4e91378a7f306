/** Where the log ends, for all and for one team. */
import { coalesce } from '../../concurrency/coalesce.js';
import { teamStreams } from '../../domain/team-streams.js';
import { type Position, START, later } from '../../domain/event.js';
import type { Names } from './names.js';
import type { ReadPage } from './page.js';
import { type EsdbReader, type Known, NOTHING } from './read.js';
import { callEnd } from './connection.js';
import type { Tail } from './tail.js';
import type { TeamHead } from './team-heads.js';

export type Heads = {
  /** Position of the newest event of ours. Read after the call. */
  newest(): Promise<Position>;
  /** That of a team; where it is not after `since`, any position up to `since`. */
  ofTeam(team: string, since?: Position): Promise<Position>;
};

/** With the read under way, which may hang. */
const PATIENCE_MS = 200;

export type HeadsOptions = {
  reader: EsdbReader;
  readPage: ReadPage;
  tail: Tail;
  names: Names;
  /** Throws when the log is being closed: a look at a long history shall not hold that up. */
  mustBeOpen(): void;
};

export function openHeads({ reader, readPage, tail, names, mustBeOpen }: HeadsOptions): Heads {
  const scans = new Map<string, { since: Position; upTo: Position; head: Promise<TeamHead> }>();
  const newest = coalesce(async () => (await reader.newest(tail.known())).position, PATIENCE_MS);

  async function ofTeam(team: string, since: Position = START): Promise<Position> {
    const end = callEnd();
    await tail.reached(await newest(), end);
    for (;;) {
      const known = tail.teams.of(team);
      if (known.newest !== null) return known.newest;
      if (since >= known.since) return since;
      const head = await scan(team, since, known.since);
      const now = tail.teams.of(team);
      // While the old events were looked at, the tail may have seen a new one, and forgotten it again.
      if (now.newest !== null || now.since > known.since) continue;
      tail.teams.learn(team, head);
      return head.newest ?? since;
    }
  }

  /**
   * The newest event of a team after one position and up to another. What is that old does not change any more, so one
   * look that began further back serves all: those who ask say another position each, as the views come nearer.
   */
  function scan(team: string, since: Position, upTo: Position): Promise<TeamHead> {
    const under = scans.get(team);
    if (under !== undefined && under.since <= since && under.upTo >= upTo) return under.head;
    const head = scanPages(team, since, upTo).finally(() => {
      if (scans.get(team)?.head === head) scans.delete(team);
    });
    scans.set(team, { since, upTo, head });
    return head;
  }

  async function scanPages(team: string, since: Position, upTo: Position): Promise<TeamHead> {
    const filter = names.filter({ streams: teamStreams(team) });
    let newest: Position | null = null;
    for (let from = since; from < upTo;) {
      mustBeOpen();
      const page = await readPage({ after: from, newest: upTo, limit: 1_000, filter });
      newest = page.events.at(-1)?.position ?? newest;
      from = later(page.position, from);
    }
    return { newest, since };
  }

  return { newest, ofTeam };
}

/** Where the log stands when it is opened. */
/** Events that are walked over, back from the end, before it is asked whether there is anything of ours at all. */
const NEAR = 5_000;

/**
 * Finds the newest event of ours. In a new namespace on a server that is full of others there is none: the server
 * sifts its log 20 times faster than we walk back over it.
 */
export async function startOf(reader: EsdbReader, readPage: ReadPage, names: Names): Promise<Known> {
  const near = await reader.newestAmong(NEAR);
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
