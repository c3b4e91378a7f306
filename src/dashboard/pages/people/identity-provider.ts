/** Sign-in by an identity provider: the way there, and the way back. */
import { fail } from '../../../errors.js';
import { nextPath } from '../../next-path.js';
import type { OpenPage } from '../../page.js';

const CALLBACK = '/oidc/callback';

export const identityProvider: readonly OpenPage[] = [
  {
    // A link and not a form: the policy of the page lets no form lead to another server.
    method: 'GET',
    path: '/oidc/start',
    async handle({ people, origin, signIn, url: asked }) {
      const external = people.external ?? noProvider();
      const { url, cookie } = await external.begin(
        origin + CALLBACK,
        nextPath(asked.searchParams.get('next')),
      );
      signIn.set(cookie);
      return { redirect: url };
    },
  },
  {
    method: 'GET',
    path: CALLBACK,
    async handle({ people, url, origin, signIn, correlationId, session, person, setSession }) {
      const external = people.external ?? noProvider();
      const back = new URL(url.pathname + url.search, origin);
      const cookie = signIn.token ?? '';
      signIn.set(null);
      const { token, next } = await external.finish(back, cookie, { correlationId });
      if (session !== null && person !== null) await people.signOut(session);
      setSession(token);
      return { redirect: next };
    },
  },
];

function noProvider(): never {
  return fail('not_found', 'No identity provider is set up.');
}
