/** Sign-in and sign-out. */
import { isAppError } from '../../../errors.js';
import type { People } from '../../../people/people.js';
import { nextPath } from '../../next-path.js';
import type { OpenPage, OpenPageRequest, Shown } from '../../page.js';
import { Field, Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';

/** One text for both: it must not say which e-mails have an account. */
const FAILED = 'The e-mail or the password is wrong.';
const UNSENT = 'Your session had ended, so nothing of your form was saved. Sign in, and send it again.';

export const signIn: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/sign-in',
    async handle({ person, url, people }) {
      const next = nextPath(url.searchParams.get('next'));
      if (person !== null) return { redirect: next };
      const isUnsent = url.searchParams.has('unsent');
      return signInPage(people, { next, ...(isUnsent && { fault: UNSENT }) });
    },
  },
  {
    method: 'POST',
    path: '/sign-in',
    async handle({ form, people, address, client, correlationId, session, person, setSession }) {
      const next = nextPath(form.get('next'));
      const email = (form.get('email') ?? '').trim();
      try {
        const { token } = await people.signIn(
          { email, password: form.get('password') ?? '', address },
          { correlationId, client },
        );
        // A session from before the sign-in ends: whoever knows its token learns nothing of this person.
        if (session !== null && person !== null) await people.signOut(session, { correlationId, client });
        setSession(token);
        return { redirect: next };
      } catch (error) {
        if (isAppError(error, 'sign_in_failed'))
          return signInPage(people, { next, email, fault: FAILED, status: 401 });
        if (!isAppError(error, 'rate_limited')) throw error;
        return tooMany(people, error.retryAfter ?? 60, { next, email });
      }
    },
  },
  {
    method: 'POST',
    path: '/sign-out',
    async handle({ session, people, setSession, correlationId, client }: OpenPageRequest) {
      if (session !== null) await people.signOut(session, { correlationId, client });
      setSession(null);
      return { redirect: '/sign-in' };
    },
  },
];

type Sent = { next: string; email?: string };

export function tooMany(people: People, retryAfter: number, sent: Sent): Shown {
  const wait = retryAfter < 120 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`;
  const fault = `There were too many attempts. Try again in ${wait}.`;
  return { ...signInPage(people, { ...sent, fault, status: 429 }), retryAfter };
}

type More = { fault?: string; status?: number };

export function signInPage(
  { external }: Pick<People, 'external'>,
  { next, email, fault, status = 200 }: Sent & More,
): Shown {
  return {
    status,
    title: 'Sign in',
    body: (
      <section class="card panel">
        <h1>Sign in</h1>
        <Fault message={fault} />
        <Form action="/sign-in" csrf={null}>
          {next !== '/' && <input type="hidden" name="next" value={next} />}
          <Field label="E-mail" name="email" type="email" value={email} required autocomplete="username" />
          <Field label="Password" name="password" type="password" required autocomplete="current-password" />
          <Submit>Sign in</Submit>
        </Form>
        {external !== null && (
          <p class="or">
            <a class="button" href={`/oidc/begin?next=${encodeURIComponent(next)}`}>
              Sign in with {external.name}
            </a>
          </p>
        )}
        <p class="soft small">
          No account, no password, or in no team any more? An admin can send you a link.
        </p>
      </section>
    ),
  };
}
