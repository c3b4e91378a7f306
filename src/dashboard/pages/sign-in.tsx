/** Sign-in and sign-out. */
import type { OpenPage } from '../page.js';

export const signIn: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/sign-in',
    async handle({ setSession, people, url }) {
      const { token } = await people.signIn({ email: '', password: '', address: '' });
      setSession(token);
      return { redirect: url.searchParams.get('next') ?? '/' };
    },
  },
];
