/** A repository on GitHub, and whose work an entry of it is. */
import { ask, isLimit, refusalOf, type Repository } from '../forge-request.js';

/** `api`: `https://api.github.com`, or that of an own server. `repository`: `owner/name`. */
export function githubRepository(given: { api: string; repository: string; token: string }): Repository {
  const api = given.api.replace(/\/+$/u, '');
  const path = given.repository.split('/').map(encodeURIComponent).join('/');
  return {
    api,
    base: `${api}/repos/${path}`,
    headers: { Authorization: `Bearer ${given.token}`, 'X-GitHub-Api-Version': '2022-11-28' },
  };
}

export type Authored = { user: { login: string; type: string } | null };

/**
 * Somebody else may write our mark into a text of theirs, and could change it after us. The token of a job belongs to an app
 * and has no user: what it writes is that of a bot.
 */
export async function ownership(
  { api, headers }: Repository,
  advice: string,
): Promise<(entry: Authored) => boolean> {
  const request = { method: 'GET', url: `${api}/user`, headers } as const;
  const answer = await ask(request);
  if ([401, 403, 404].includes(answer.status) && !isLimit(answer)) return ({ user }) => user?.type === 'Bot';
  const { login } = (answer.body ?? {}) as { login?: unknown };
  // The token may be that of a person: then the text would not be found, and be made again.
  if (answer.status !== 200 || typeof login !== 'string') throw refusalOf(request, answer, advice);
  return ({ user }) => user?.login === login;
}
