/** Sign-in by the identity provider: the way there, and the way back. */
import { fail, isAppError } from '../../../errors.js';
import type { ExternalSignIn, People } from '../../../people/people.js';
import { invitationOf, nextPath } from '../../next-path.js';
import type { OpenPage } from '../../page.js';
import { signInPage, tooMany } from './sign-in.js';

export const external: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/oidc/begin',
    async handle({ people, url, origin, external }) {
      const next = nextPath(url.searchParams.get('next'));
      const begun = await providerOf(people).begin(
        `${origin}/oidc/callback`,
        next,
        invitationOf(next),
        url.searchParams.has('anew'),
      );
      external.set(begun.cookie);
      return { redirect: begun.url };
    },
  },
  {
    method: 'GET',
    path: '/oidc/callback',
    async handle({
      people,
      url,
      origin,
      external,
      session,
      person,
      correlationId,
      client,
      address,
      setSession,
    }) {
      const provider = providerOf(people);
      external.set(null);
      try {
        // Without the cookie, the sign-in began in another browser: its person may be somebody else.
        const cookie = external.token ?? fail('link_not_valid', 'There is no sign-in under way.');
        const back = new URL(url.pathname + url.search, origin);
        const done = await provider.finish(back, cookie, { correlationId, client, address });
        if (session !== null && person !== null) await people.signOut(session, { correlationId, client });
        // Without a session, the person is in no team: the page of the invitation asks whether they want to join.
        setSession('token' in done ? done.token : null);
        if ('proof' in done) external.set(done.proof);
        return { redirect: nextPath(done.next) };
      } catch (error) {
        if (isAppError(error, 'sign_in_failed')) {
          return signInPage(people, { next: '/', fault: error.message, status: 401 });
        }
        if (isAppError(error, 'rate_limited')) return tooMany(people, error.retryAfter ?? 60, { next: '/' });
        if (!isAppError(error, 'link_not_valid')) throw error;
        const fault = 'The sign-in took too long, or it began in another browser. Begin again.';
        return signInPage(people, { next: '/', fault, status: 400 });
      }
    },
  },
];

/** @throws AppError `not_found` where the server has no identity provider. */
function providerOf({ external }: Pick<People, 'external'>): ExternalSignIn {
  return external ?? fail('not_found', 'There is no such page.');
}
