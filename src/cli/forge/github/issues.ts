/** Issues of a repository on GitHub, by its REST API. */
import {
  ask,
  askForSuccess,
  ForgeError,
  listReader,
  PER_PAGE,
  refusalOf,
  type Repository,
} from '../forge-request.js';
import { IGNORED_LABEL, LABEL, MOST_PAGES_OF_ISSUES, type Issue, type Issues } from '../issues/issues.js';
import { ownership, type Authored } from './repository.js';

const ADVICE =
  'The job needs `permissions: issues: write`, and the repository must have issues. The token of a pull request from a fork has no such right.';

type GitHubIssue = Authored & {
  number: number;
  state: 'open' | 'closed';
  state_reason?: string | null;
  title: string;
  body: string | null;
  html_url: string;
  labels: (string | { name?: string })[];
  pull_request?: unknown;
};

export function githubIssues(repository: Repository): Issues {
  const { base, headers } = repository;
  const url = `${base}/issues`;
  const pageOf = (page: number) => {
    const query = new URLSearchParams({ labels: LABEL, state: 'all', sort: 'created', direction: 'asc' });
    return {
      method: 'GET',
      url: `${url}?${query}&per_page=${PER_PAGE}&page=${page}`,
      headers,
    } as const;
  };
  const all = listReader<GitHubIssue>(pageOf, {
    advice: ADVICE,
    mostPages: MOST_PAGES_OF_ISSUES,
    isWholeNeeded: true,
  });
  let isOwn: ((issue: GitHubIssue) => boolean) | null = null;
  return {
    async *own() {
      isOwn ??= await ownership(repository, ADVICE);
      for await (const issue of all())
        if (issue.pull_request === undefined && isOwn(issue)) yield issueOf(issue);
    },
    async create({ title, body, labels }) {
      const request = { method: 'POST', url, headers, content: { title, body, labels } } as const;
      const made = (await askForSuccess(request, ADVICE)) as GitHubIssue;
      if (labelsOf(made).includes(LABEL)) return issueOf(made);
      // GitHub leaves labels out without a word where the token may set none: no later job would find the issue.
      await update(made.number, { state: 'closed', state_reason: 'not_planned' });
      throw new ForgeError(
        `${made.html_url} has no label, so it was closed: the token cannot set labels. ${ADVICE}`,
      );
    },
    async update(number, { title, body, state }) {
      if (state === 'open') return update(number, { title, body, state });
      const closed = { title, body, state: 'closed', state_reason: state };
      const answer = await ask(patch(number, closed));
      // Servers of before 2025 do not know this reason.
      if (answer.status === 422 && state === 'duplicate')
        return update(number, { ...closed, state_reason: 'not_planned' });
      if (answer.status !== 200) throw refusalOf(patch(number, closed), answer, ADVICE);
    },
  };

  async function update(number: number, content: Record<string, string>): Promise<void> {
    await askForSuccess(patch(number, content), ADVICE);
  }

  function patch(number: number, content: Record<string, string>) {
    return { method: 'PATCH', url: `${url}/${number}`, headers, content } as const;
  }
}

function issueOf(issue: GitHubIssue): Issue {
  const { number, state, state_reason: reason, title, body, html_url: url } = issue;
  return {
    number,
    isOpen: state === 'open',
    isDeclined: reason === 'not_planned' || labelsOf(issue).includes(IGNORED_LABEL),
    title,
    body: body ?? '',
    url,
  };
}

function labelsOf({ labels }: GitHubIssue): string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}
