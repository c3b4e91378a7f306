/** Comments of a pull request on GitHub, by its REST API. */
import { askForSuccess, listReader, PER_PAGE, type Repository } from '../forge-request.js';
import { MOST_PAGES_OF_COMMENTS, type Comments } from '../keep-comment.js';
import { ownership, type Authored } from './repository.js';

const ADVICE =
  'The job needs `permissions: pull-requests: write`. The token of a pull request from a fork cannot comment: docs/ci.md has a recipe for that.';

type Comment = Authored & { id: number; body: string | null; html_url: string };

export function githubComments(repository: Repository, pullRequest: string): Comments {
  const { headers } = repository;
  const base = `${repository.base}/issues`;
  const ofPullRequest = `${base}/${encodeURIComponent(pullRequest)}/comments`;

  const pageOf = (page: number) =>
    ({ method: 'GET', url: `${ofPullRequest}?per_page=${PER_PAGE}&page=${page}`, headers }) as const;
  const all = listReader<Comment>(pageOf, { advice: ADVICE, mostPages: MOST_PAGES_OF_COMMENTS });
  let isOwn: ((comment: Comment) => boolean) | null = null;
  return {
    async *own(again) {
      isOwn ??= await ownership(repository, ADVICE);
      for await (const comment of all(again))
        if (isOwn(comment)) yield { id: String(comment.id), body: comment.body ?? '' };
    },
    async create(body) {
      const request = { method: 'POST', url: ofPullRequest, headers, content: { body } } as const;
      const { id, html_url: url } = (await askForSuccess(request, ADVICE)) as Comment;
      return { id: String(id), url };
    },
    async update(id, body) {
      const request = { method: 'PATCH', url: `${base}/comments/${id}`, headers, content: { body } } as const;
      return ((await askForSuccess(request, ADVICE)) as Comment).html_url;
    },
    async remove(id) {
      await askForSuccess({ method: 'DELETE', url: `${base}/comments/${id}`, headers }, ADVICE);
    },
  };
}
