/** The memberships of people: commands to the streams of teams, and who may act on whom. */
import { instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { systemContext, type CommandContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { OPERATOR_TEAM, teamStream } from '../commands/teams.js';
import { roleOf, type TeamMember } from '../domain/teams/members.js';
import { notFound } from '../domain/life.js';
import { atLeast, type MemberRole } from '../domain/teams/roles.js';
import { team as decider, type Key, type PersonCommand } from '../domain/teams/team.js';
import { fail } from '../errors.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { Client } from './client.js';
import type { SealClient } from './sealed-clients.js';

export type Directory = Pick<ApiKeys, 'person' | 'reached'>;

/** `client`: where the person acts from, whose own act it is. */
export type Cause = { actor: string; correlationId: string; client?: Client | undefined };

export type Teams = {
  /** The name, the members and the keys of a team, null for an unknown one. */
  find(team: string): Promise<{ name: string; members: readonly TeamMember[]; keys: readonly Key[] } | null>;
  /** When the person became a member; null for one who is none. */
  since(team: string, person: string): Promise<Instant | null>;
  /** @throws AppError as the command would. Records nothing. */
  check(team: string, command: PersonCommand): Promise<void>;
  /** Records the command. Afterwards this process knows the roles. @throws AppError of the decider. */
  record(team: string, command: PersonCommand, cause: Cause): Promise<void>;
  /**
   * Refuses unless the person rules another one: in the team in which they act, and in every other team of that person.
   * Otherwise an admin of one team could take over the account of an owner of another one. An owner of the operator's
   * team rules everybody. `isAbove`: the other one must be below them. @throws AppError `forbidden`, `not_found`
   */
  mustRule(by: { person_id: string; team: string }, person: string, needed: Needed): Promise<void>;
};

type Needed = { least: MemberRole; isAbove?: boolean };

export type TeamsOptions = {
  commands: CommandHandler;
  directory: Directory;
  clock: Clock;
  sealClient: SealClient;
};

export function openTeams({ commands, directory, clock, sealClient }: TeamsOptions): Teams {
  async function find(team: string) {
    const state = await commands.load(decider, teamStream(team));
    return state.life === 'present' ? state : null;
  }

  const membersOf = async (team: string) => (await find(team))?.members ?? [];

  async function rules(
    by: string,
    team: string,
    person: string,
    { least, isAbove = false }: Needed,
  ): Promise<boolean> {
    const members = await membersOf(team);
    const [own, other] = [roleOf(members, by), roleOf(members, person)];
    if (other === null) return true;
    return own !== null && atLeast(own, least) && atLeast(own, other) && !(isAbove && own === other);
  }

  return {
    find,
    async check(team, command) {
      decider.decide(command, await commands.load(decider, teamStream(team)));
    },
    async record(team, command, { actor, correlationId, client }) {
      const at = instant(clock);
      const context: CommandContext = {
        ...systemContext(team, at, correlationId),
        actor,
        ...(client && { client: () => sealClient(actor, client) }),
      };
      const { appended } = await commands.execute(decider, teamStream(team), context, command);
      if (appended !== null) await directory.reached(appended.position);
    },
    since: async (team, person) =>
      (await membersOf(team)).find(({ person_id }) => person_id === person)?.added_at ?? null,
    async mustRule({ person_id: by, team }, person, needed) {
      if (roleOf(await membersOf(team), person) === null) notFound('member');
      if (!(await rules(by, team, person, needed))) {
        const { least, isAbove = false } = needed;
        const than = isAbove ? 'above' : 'not below';
        fail('forbidden', `This needs a member of role ${least} whose role is ${than} that of the person.`);
      }
      if (roleOf(await membersOf(OPERATOR_TEAM), by) === 'owner') return;
      for (const { team_id } of (await directory.person(person))?.memberships ?? []) {
        if (await rules(by, team_id, person, needed)) continue;
        fail('forbidden', 'The person is also in a team in which you do not have this right.');
      }
    },
  };
}
