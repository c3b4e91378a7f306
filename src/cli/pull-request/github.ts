/** Comments of a pull request on GitHub, by its REST API. */
import type { Comments } from './comment.js';
import { ask, askForSuccess, isLimit, listReader, PER_PAGE, refusalOf } from './forge-request.js';

export type GitHubPlace = {
  /** `https://api.github.com`, or that of an own server. */
  api: string;
  /** `owner/name`. */
  repository: string;
  pullRequest: string;
  token: string;
};

const ADVICE =
  'The job needs `permissions: pull-requests: write`. The token of a pull request from a fork cannot comment: docs/ci.md has a recipe for that.';

type Comment = {
  id: number;
  body: string | null;
  html_url: string;
  user: { login: string; type: string } | null;
};

export function githubComments({ api, repository, pullRequest, token }: GitHubPlace): Comments {
  const headers = { Authorization: `Bearer ${token}`, 'X-GitHub-Api-Version': '2022-11-28' };
  const base = `${api.replace(/\/+$/u, '')}/repos/${repository.split('/').map(encodeURIComponent).join('/')}/issues`;
  const ofPullRequest = `${base}/${encodeURIComponent(pullRequest)}/comments`;

  const pageOf = (page: number) =>
    ({ method: 'GET', url: `${ofPullRequest}?per_page=${PER_PAGE}&page=${page}`, headers }) as const;
  const all = listReader<Comment>(pageOf, ADVICE);
  let isOwn: ((comment: Comment) => boolean) | null = null;
  return {
    async *own(again) {
      isOwn ??= await ownership(api, headers);
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

/**
 * Somebody else may write our mark into a comment of theirs, and could change its text after us. The token of a job
 * belongs to an app and has no user: its comments are those of a bot.
 */
async function ownership(
  api: string,
  headers: Readonly<Record<string, string>>,
): Promise<(comment: Comment) => boolean> {
  const request = { method: 'GET', url: `${api.replace(/\/+$/u, '')}/user`, headers } as const;
  const answer = await ask(request);
  if ([401, 403, 404].includes(answer.status) && !isLimit(answer)) return ({ user }) => user?.type === 'Bot';
  const { login } = (answer.body ?? {}) as { login?: unknown };
  // The token may be that of a person: then the comment would not be found, and be made again.
  if (answer.status !== 200 || typeof login !== 'string') throw refusalOf(request, answer, ADVICE);
  return ({ user }) => user?.login === login;
}
