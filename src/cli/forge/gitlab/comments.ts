/** Notes of a merge request on GitLab, by its REST API. */
import { askForSuccess, listReader, PER_PAGE, type Repository } from '../forge-request.js';
import { MOST_PAGES_OF_COMMENTS, type Comments } from '../keep-comment.js';
import { ownership, type Authored } from './project.js';

const ADVICE =
  'The token needs the scope `api` and the role Reporter or above; the token of a CI job cannot write notes. Pipelines of forks have no access to it: docs/ci.md says more.';

type Note = Authored & { id: number; body: string; system: boolean };

export function gitlabNotes(project: Repository, mergeRequest: string): Comments {
  const { base, headers } = project;
  const notes = `${base}/merge_requests/${encodeURIComponent(mergeRequest)}/notes`;

  const pageOf = (page: number) => {
    const url = `${notes}?sort=asc&order_by=created_at&per_page=${PER_PAGE}&page=${page}`;
    return { method: 'GET', url, headers } as const;
  };
  const all = listReader<Note>(pageOf, { advice: ADVICE, mostPages: MOST_PAGES_OF_COMMENTS });
  let isOwn: ((note: Note) => boolean) | null = null;
  return {
    async *own(again) {
      isOwn ??= await ownership(project, ADVICE);
      for await (const note of all(again))
        if (!note.system && isOwn(note)) yield { id: String(note.id), body: note.body };
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
