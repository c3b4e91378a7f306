/** Asks a person again who they are, before an act that nobody can undo: a browser may have been left open. */
import { formFault, type FormFault } from '../../form-fault.js';
import { nextPath } from '../../next-path.js';
import type { OpenPage, OpenPageRequest, PageReply } from '../../page.js';
import { Field, Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { signInFor } from '../../sign-in-for.js';

const path = '/confirm';

export const confirm: readonly OpenPage[] = [
  {
    method: 'GET',
    path,
    handle: (request) => confirmPage(request, nextPath(request.url.searchParams.get('next'))),
  },
  {
    method: 'POST',
    path,
    async handle(request) {
      const { people, person, session, form, correlationId, client } = request;
      const next = nextPath(form.get('next'));
      if (person === null || session === null) return confirmPage(request, next);
      try {
        const typed = form.get('current_password') ?? '';
        await people.confirm(session, person.person_id, typed, { correlationId, client });
        return { redirect: next };
      } catch (error) {
        return confirmPage(request, next, formFault(error, ['rate_limited', 'forbidden']));
      }
    },
  },
];

async function confirmPage(
  { person, people }: OpenPageRequest,
  next: string,
  fault?: FormFault,
): Promise<PageReply> {
  if (person === null) return { redirect: signInFor(new URL(next, 'http://page.invalid')) };
  const hasPassword = await people.hasPassword(person.person_id);
  const { external } = people;
  return {
    status: fault?.status ?? 200,
    retryAfter: fault?.retryAfter,
    title: 'Is it you?',
    body: (
      <section class="card panel">
        <h1>Is it you?</h1>
        <p>
          Nobody can undo what you are about to do, so nothing was done yet. Show that it is you, and send the
          form again within ten minutes.
        </p>
        <Fault message={fault?.message} />
        {hasPassword && (
          <Form action={path} csrf={person.csrf}>
            <input type="hidden" name="next" value={next} />
            <Field
              label="Current password"
              name="current_password"
              type="password"
              required
              autocomplete="current-password"
              error={fault?.fields['current_password']}
            />
            <Submit>Go on</Submit>
          </Form>
        )}
        {external !== null && (
          <p class="or">
            <a class="button" href={`/oidc/begin?anew=1&next=${encodeURIComponent(next)}`}>
              Sign in with {external.name} again
            </a>
          </p>
        )}
      </section>
    ),
  };
}
