import { givenProject, givenSubmission, givenTeam } from '../../http/given.js';
import type { TestServer } from '../../kit/server.js';
import { apiOf, openPage, type Opening } from '../open-page.js';

/** A team with the project `Web shop`, its runs by branch, and its pages. */
export function givenShop(server: TestServer) {
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner, { name: 'Web shop' });
  });
  return {
    team,
    project: () => project,
    ran: (branch: string, items: object[]) =>
      givenSubmission(team.owner, project, items, {
        label: `CI ${branch}`,
        metadata: { branch, commit: 'abc' },
      }),
    open: (path: string, more: Partial<Opening> = {}) =>
      openPage(`/teams/${team.id}${path}`, { api: apiOf(team.owner), team: team.id, ...more }),
  };
}
