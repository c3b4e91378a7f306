/** The sessions of a person on their account page: where, since when, last used; each of them can be ended. */
import type { OpenSession, SignedIn } from '../../../people/people.js';
import type { OpenPage } from '../../page.js';
import { ButtonForm } from '../../parts/forms/form.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';

const path = '/account/sessions';

export const sessionForms: readonly OpenPage[] = [
  {
    method: 'POST',
    path: `${path}/end-others`,
    async handle({ people, person, session, correlationId, client }) {
      const visit = { correlationId, client };
      if (person !== null && session !== null)
        await people.endOtherSessions(person.person_id, session, visit);
      return { redirect: '/account' };
    },
  },
  {
    method: 'POST',
    path: `${path}/:session/end`,
    async handle({ people, person, params, correlationId, client }) {
      const visit = { correlationId, client };
      if (person !== null) await people.endSession(person.person_id, params['session']!, visit);
      return { redirect: '/account' };
    },
  },
];

export function Sessions({ person, sessions }: { person: SignedIn; sessions: readonly OpenSession[] }) {
  return (
    <section>
      <h2>
        Where you are signed in <span class="count">{sessions.length}</span>
      </h2>
      <Table
        class="stacked"
        columns={{ Where: '', 'Signed in': 'wide-only', 'Last used': '', Actions: 'actions' }}
      >
        {sessions.map(({ id, client, created_at, used_at, isThis }) => (
          <tr data-row>
            <th scope="row">
              {client?.agent ?? 'unknown'} {isThis && <span class="badge">this one</span>}
              <div class="soft small">{client?.network}</div>
            </th>
            <td class="wide-only">
              <Ago at={created_at} />
            </td>
            <td>
              <span class="narrow-only soft">used </span>
              <Ago at={used_at} />
            </td>
            <td class="row-actions">
              <ButtonForm danger action={`${path}/${encodeURIComponent(id)}/end`} csrf={person.csrf}>
                End
              </ButtonForm>
            </td>
          </tr>
        ))}
      </Table>
      {sessions.length > 1 && (
        <ButtonForm danger class="below" action={`${path}/end-others`} csrf={person.csrf}>
          End all others
        </ButtonForm>
      )}
    </section>
  );
}
