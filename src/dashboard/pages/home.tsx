/** `/`: leads to the person's team. */
import type { OpenPage } from '../page.js';

export const home: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/',
    async handle({ person }) {
      if (person === null) return { redirect: '/sign-in' };
      const [first] = person.memberships;
      if (first !== undefined) return { redirect: `/teams/${first.team_id}` };
      return { title: 'No team', body: <NoTeam /> };
    },
  },
];

function NoTeam() {
  return (
    <section>
      <h1>You are in no team</h1>
      <p>Ask an admin of a team for an invitation. It is a link that you open.</p>
    </section>
  );
}
