/** The link of the first start: the person who opens it becomes the owner of the server. */
import { isAppError } from '../../../errors.js';
import type { NewAccount } from '../../../people/people.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { OpenPage, OpenPageRequest, Shown } from '../../page.js';
import { Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { AccountFields, accountOf, deadLink } from './account-fields.js';

const path = '/first-start/:token';

export const firstStart: readonly OpenPage[] = [
  {
    method: 'GET',
    path,
    async handle(request) {
      const isOpen = await request.people.firstStartIsOpen(request.params['token']!);
      return isOpen ? firstStartPage(request) : dead();
    },
  },
  {
    method: 'POST',
    path,
    async handle(request) {
      const { people, params, form, person, session, correlationId, client, setSession } = request;
      const account = accountOf(form);
      const who = person === null ? account : { person_id: person.person_id };
      try {
        const { token } = await people.acceptFirstStart(params['token']!, who, { correlationId, client });
        if (session !== null && person !== null) await people.signOut(session, { correlationId, client });
        setSession(token);
        const owner = await people.session(token);
        const team = owner?.memberships[0]?.team_id;
        return { redirect: team === undefined ? '/' : `/teams/${team}/team/keys` };
      } catch (error) {
        if (isAppError(error, 'link_not_valid')) return dead();
        return firstStartPage(request, {
          account,
          fault: formFault(error, ['sign_in_failed', 'rate_limited']),
        });
      }
    },
  },
];

const dead = (): Shown => deadLink('If you are the owner, sign in. If not, ask the owner for an invitation.');

function firstStartPage(
  { params, person }: OpenPageRequest,
  sent?: { account: NewAccount; fault: FormFault },
): Shown {
  return {
    status: sent?.fault.status ?? 200,
    retryAfter: sent?.fault.retryAfter,
    title: 'First start',
    body: (
      <section class="card panel">
        <h1>Become the owner of this server</h1>
        <p class="soft">
          The owner invites the others and makes API keys. This link works once, and only while there is no
          owner.
        </p>
        <Fault message={sent?.fault.message} />
        <Form action={`/first-start/${encodeURIComponent(params['token']!)}`} csrf={person?.csrf ?? null}>
          {person === null ? (
            <AccountFields sent={sent?.account} fault={sent?.fault} />
          ) : (
            <p class="soft">You are signed in as {person.email}.</p>
          )}
          <Submit>{person === null ? 'Create the account' : `Become the owner as ${person.name}`}</Submit>
        </Form>
      </section>
    ),
  };
}
