/** The link that an admin makes for a person who has lost their password. */
import { isAppError } from '../../../errors.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { OpenPage, OpenPageRequest, Shown } from '../../page.js';
import { Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { NewPassword, deadLink } from './account-fields.js';

const path = '/reset/:token';

export const reset: readonly OpenPage[] = [
  {
    method: 'GET',
    path,
    async handle(request) {
      return (await request.people.resetIsOpen(request.params['token']!)) ? resetPage(request) : dead();
    },
  },
  {
    method: 'POST',
    path,
    async handle(request) {
      const { people, params, form, correlationId, client, setSession } = request;
      try {
        const { token } = await people.resetPassword(params['token']!, form.get('password') ?? '', {
          correlationId,
          client,
        });
        setSession(token);
        return { redirect: '/' };
      } catch (error) {
        if (isAppError(error, 'link_not_valid')) return dead();
        return resetPage(request, formFault(error));
      }
    },
  },
];

const dead = (): Shown => deadLink('Ask an admin of your team for a new link.');

function resetPage({ params, person }: OpenPageRequest, fault?: FormFault): Shown {
  return {
    status: fault?.status ?? 200,
    title: 'New password',
    body: (
      <section class="card panel">
        <h1>Choose a new password</h1>
        <p class="soft">It ends all your sessions, on every device.</p>
        <Fault message={fault?.message} />
        <Form action={`/reset/${encodeURIComponent(params['token']!)}`} csrf={person?.csrf ?? null}>
          <NewPassword fault={fault} />
          <Submit>Save the password</Submit>
        </Form>
      </section>
    ),
  };
}
