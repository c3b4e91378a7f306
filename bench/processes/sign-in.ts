/** A person at the server under test. */
import type { Server } from './server.js';

/** Makes the owner of the team by the link of the first start. */
export async function signIn({ url, call, firstStart }: Server): Promise<{ cookie: string; team: string }> {
  const link = await firstStart();
  const answer = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({
      name: 'Olga',
      email: 'olga@shop.example',
      password: 'a long password of Olga',
    }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`the first start was answered with ${answer.status}`);
  const { body } = await call('GET', '/v1/me');
  return { cookie: cookie.split(';')[0]!, team: (body as { data: { team: { id: string } } }).data.team.id };
}
