/** A project on GitLab. */
import { askForSuccess, type Repository } from '../forge-request.js';

/** `api`: `https://gitlab.com/api/v4`, as `CI_API_V4_URL`. `project`: its id, as `CI_PROJECT_ID`. */
export function gitlabProject(given: { api: string; project: string; token: string }): Repository {
  const api = given.api.replace(/\/+$/u, '');
  return {
    api,
    base: `${api}/projects/${encodeURIComponent(given.project)}`,
    headers: { 'PRIVATE-TOKEN': given.token },
  };
}

export type Authored = { author: { id: number } };

/** Somebody else may write our mark into a text of theirs. */
export async function ownership(
  { api, headers }: Repository,
  advice: string,
): Promise<(entry: Authored) => boolean> {
  const request = { method: 'GET', url: `${api}/user`, headers } as const;
  const { id } = (await askForSuccess(request, advice)) as { id: number };
  return ({ author }) => author.id === id;
}
