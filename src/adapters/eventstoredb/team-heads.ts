/** Where the newest event of each team lies, as far as it is known. */
import { later, START, type Position } from '../../domain/event.js';

/** Of a team: no event of it lies after `since`, but for the `newest`, where that is known. */
export type TeamHead = { newest: Position | null; since: Position };

export type TeamHeads = {
  of(team: string): TeamHead;
  /** An event of the team that is newer than all before. */
  saw(team: string, position: Position): void;
  /** What a look at the older events of a team found out, of which nothing newer has been seen. */
  learn(team: string, head: TeamHead): void;
};

const MOST_TEAMS = 50_000;

/** Nothing is known of events up to `start`, and `saw` is told of all that come after. */
export function teamHeads(start: Position, most = MOST_TEAMS): TeamHeads {
  // The least recently written first. A team that is not here has no event after `floor`.
  const known = new Map<string, TeamHead>();
  let floor = start;

  function put(team: string, head: TeamHead): void {
    known.delete(team);
    known.set(team, head);
    if (known.size <= most) return;
    const [oldest] = known;
    if (oldest === undefined) return;
    const [name, { newest, since }] = oldest;
    known.delete(name);
    floor = later(floor, newest ?? since);
  }

  return {
    of: (team) => known.get(team) ?? { newest: null, since: floor },
    saw: (team, position) => put(team, { newest: position, since: START }),
    learn: (team, head) => {
      const now = known.get(team);
      if (head.newest !== null || now === undefined || head.since < now.since) put(team, head);
    },
  };
}
