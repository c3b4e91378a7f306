/** The newest event of each team, as far as it is known. */
import { laterPosition, START, type Position } from '../../domain/event.js';

/** A team has no event after `since`, except `newest`, where that is known. */
export type TeamHead = { newest: Position | null; since: Position };

export type TeamHeads = {
  of(team: string): TeamHead;
  /** The tail saw an event of the team, newer than all before. */
  saw(team: string, position: Position): void;
  /** A search through the team's older events found this. The tail has seen no newer event of the team. */
  learn(team: string, head: TeamHead): void;
};

const MOST_TEAMS = 50_000;

/** Nothing is known of events up to `start`. `saw` receives all events after it. */
export function teamHeads(start: Position, most = MOST_TEAMS): TeamHeads {
  // Teams in the order of their last events, the oldest first. A team that is missing has no event after `floor`.
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
    floor = laterPosition(floor, newest ?? since);
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
