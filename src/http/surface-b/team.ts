/** Surface B: the team of the key, with the settings that hold for its projects. */
import { teamStream } from '../../commands/teams.js';
import { gateOf } from '../../domain/gate/settings.js';
import { mustBePresent } from '../../domain/life.js';
import { team, type Team } from '../../domain/teams/team.js';
import type { components } from '../../client/api.generated.js';
import { ok, withBody, type Route } from '../route.js';
import type { Sources } from '../sources.js';

export function teamRoutes({ commands }: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: '/team',
      operation: {
        id: 'getTeam',
        summary: 'Shows the team of the key, with its settings',
        answers: { 200: { data: 'Team' } },
      },
      role: 'viewer',
      async handle({ key }) {
        return ok({ data: teamData(await commands.load(team, teamStream(key.team_id))) });
      },
    },
    {
      method: 'PATCH',
      path: '/team',
      operation: {
        id: 'changeTeam',
        summary: 'Changes the settings that hold for all projects that have set none',
        answers: { 200: { data: 'Team' } },
        errors: ['write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      ...withBody('ChangeTeam', async ({ context, body }) => {
        const command = { type: 'ChangeTeam', ...body } as const;
        const { state } = await commands.execute(team, teamStream(context.team), context, command);
        return ok({ data: teamData(state) });
      }),
    },
  ];
}

function teamData(state: Team): components['schemas']['Team'] {
  const { team_id: id, name, gate } = mustBePresent(state, 'team');
  return { id, name, gate: gateOf(gate) };
}
