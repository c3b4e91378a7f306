/** Notes of a merge request on GitLab, by its REST API. */
import type { Comments } from './comment.js';
import { askForSuccess, listReader, PER_PAGE } from './forge-request.js';

export type GitLabPlace = {
  /** `https://gitlab.com/api/v4`: `CI_API_V4_URL`. */
  api: string;
  /** The id of the project on GitLab: `CI_PROJECT_ID`. */
  project: string;
  mergeRequest: string;
  token: string;
};

const ADVICE =
  'The token needs the scope `api` and the role Reporter or above; the token of a CI job cannot write notes. Pipelines of forks have no access to it: docs/ci.md says more.';

type Note = { id: number; body: string; system: boolean; author: { id: number } };

export function gitlabNotes({ api, project, mergeRequest, token }: GitLabPlace): Comments {
  const headers = { 'PRIVATE-TOKEN': token };
  const base = api.replace(/\/+$/u, '');
  const notes = `${base}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(mergeRequest)}/notes`;

  const pageOf = (page: number) => {
    const url = `${notes}?sort=asc&order_by=created_at&per_page=${PER_PAGE}&page=${page}`;
    return { method: 'GET', url, headers } as const;
  };
  const all = listReader<Note>(pageOf, ADVICE);
  let user: { id: number } | null = null;
  return {
    async *own(again) {
      // Somebody else may write our mark into a note of theirs.
      user ??= (await askForSuccess({ method: 'GET', url: `${base}/user`, headers }, ADVICE)) as {
        id: number;
      };
      for await (const { id, body, system, author } of all(again))
        if (!system && author.id === user.id) yield { id: String(id), body };
    },
    async create(body) {
      const { id } = (await askForSuccess(
        { method: 'POST', url: notes, headers, content: { body } },
        ADVICE,
      )) as Note;
      return { id: String(id), url: `note ${id}` };
    },
    async update(id, body) {
      const request = { method: 'PUT', url: `${notes}/${id}`, headers, content: { body } } as const;
      await askForSuccess(request, ADVICE);
      return `note ${id}`;
    },
    async remove(id) {
      await askForSuccess({ method: 'DELETE', url: `${notes}/${id}`, headers }, ADVICE);
    },
  };
}
