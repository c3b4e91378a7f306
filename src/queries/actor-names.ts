/** The names of those who caused events, for people: of API keys and of persons. The views have none. */
import type { CommandHandler } from '../commands/command-handler.js';
import { teamStream } from '../commands/teams.js';
import { isId } from '../domain/ids.js';
import { team } from '../domain/teams/team.js';

/** Null for a key that is not known any more, and for the program itself. */
export type NameOfActor = (actor: string) => Promise<string | null>;

/** For the actors of one team. */
export type ActorNames = (teamId: string) => Promise<NameOfActor>;

/** `personName`: the name of a person, also of a forgotten one. */
export function openActorNames(
  commands: CommandHandler,
  personName: (person: string) => Promise<string>,
): ActorNames {
  return async (teamId) => {
    const state = await commands.load(team, teamStream(teamId));
    const keys = state.life === 'present' ? state.keys : [];
    return async (actor) =>
      isId('person', actor) ? personName(actor) : (keys.find(({ key_id }) => key_id === actor)?.name ?? null);
  };
}
