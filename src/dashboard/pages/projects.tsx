/** The projects of a team. */
import type { Page } from '../page.js';

export const projects: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team',
    role: 'viewer',
    async handle({ api, team }) {
      const { data } = await api.get('/v1/projects', { query: { per_page: 100 } });
      const list = (
        <ul>
          {data.map(({ id, name }) => (
            <li>
              <a href={`/teams/${team.team_id}/projects/${id}`}>{name}</a>
            </li>
          ))}
        </ul>
      );
      return {
        title: 'Projects',
        live: { projects: list },
        body: (
          <>
            <h1>Projects</h1>
            <div id="live-projects">{list}</div>
          </>
        ),
      };
    },
  },
];
